/** Whoever's records are judged again is told on every page, once for all that come together, and then how it ended. */

/** @import { ContestPage } from "./contest_page.js" */

import { showNote } from "./notes.js";
import { outcomeOf, outcomeWord } from "./words.js";

const KIND = "rejudged";
/** Long enough to read a line; the record itself keeps the verdict. */
const RESULT_MS = 12_000;

/** @typedef {{ id: number, problem: string, user_id?: number | null, verdict?: string | null, status?: string }} Summary */

/** @param {ContestPage} page */
export function sayRejudged(page) {
  /** @type {Map<number, Summary>} */
  const open = new Map();
  /** @type {Summary[]} */
  let judged = [];
  const list = `/contests/${page.data.contest}/records/`;
  const hrefOf = (/** @type {Iterable<Summary>} */ [first, ...others]) => (first === undefined || others.length > 0 ? list : `/records/${first.id}/`);
  page.onAnnouncement(({ name, data }) => {
    if (data?.user_id !== page.data.user?.id) return;
    if (name === "record.reopened") {
      open.set(data.id, data);
      showNote(beginWords([...open.values()]), { kind: KIND, href: hrefOf(open.values()) });
    } else if (name === "record.final" && open.delete(data.id)) {
      judged.push(data);
      if (open.size > 0) return;
      showNote(resultWords(judged), { kind: KIND, href: hrefOf(judged), lastsMs: RESULT_MS });
      judged = [];
    }
  });
  // How they ended may have come as a whole, without events: nothing is said that may not be so any more.
  page.onReset(() => {
    document.querySelector(`#notes [data-kind="${KIND}"]`)?.remove();
    open.clear();
    judged = [];
  });
}

/** @param {readonly Summary[]} records at least one */
export function beginWords(records) {
  const [first] = records;
  if (records.length !== 1 || first === undefined) return `${records.length} of your records are being judged again.`;
  return `Your record #${first.id} (problem ${first.problem}) is being judged again.`;
}

/** @param {readonly Summary[]} records at least one */
export function resultWords(records) {
  const [first] = records;
  if (records.length !== 1 || first === undefined) return `${records.length} of your records were judged again.`;
  return `Your record #${first.id} (problem ${first.problem}) was judged again: ${outcomeWord(outcomeOf(first))}.`;
}
