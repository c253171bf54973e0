/** What the server put into the page for its scripts. */

/** @import { PageStream, StreamName } from "../stores/streams.js" */

/**
 * @typedef {object} PageData
 * @property {string} contest slug
 * @property {"icpc" | "ioi"} scoring
 * @property {{ version: number, state: string, starts_at: string, ends_at: string, freeze_at: string | null, paused_at?: string | null }} schedule
 * @property {number} extra_time_ms added to the end for this contestant
 * @property {{ id: number, name: string, staff: boolean } | null} user
 * @property {Record<string, number>} timings as on the wire
 * @property {number} server_time seconds, when the page was made
 * @property {Partial<Record<StreamName, PageStream>>} streams
 */

/** @returns {PageData} */
export function readPageData() {
  const data = dataOf(document);
  if (data === null) throw new Error("this page carries no data for its scripts");
  return data;
}

/** @param {Document} page @returns {PageData | null} null: it is another kind of page */
export function dataOf(page) {
  const text = page.getElementById("fathom-page")?.textContent;
  return text ? JSON.parse(text) : null;
}
