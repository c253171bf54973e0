/** The list of records, following the stream; progress is asked for only for what is not final yet. */

/** @import { StreamHandle } from "../realtime/handles.js" */
/** @import { createRecords, Records, RecordSummary } from "../stores/records.js" */

import { recordsNewestFirst, unfinishedIds } from "../stores/records.js";
import { commandOptions } from "../stores/streams.js";
import { element, setShown, setText, showItems } from "./dom.js";
import { showOutcome, showProgress } from "./outcome.js";
import { momentElement } from "./times.js";
import { kibibytes, languageName, milliseconds, points } from "./words.js";

/** @typedef {ReturnType<typeof createRecords>} RecordStore */
/**
 * @typedef {object} Filter the same choice as the server's
 * @property {string} problem
 * @property {string} language
 * @property {string} verdict
 * @property {number | null} userId null: everybody
 */

/** As many as the server puts on a page. */
const SHOWN = 50;

/**
 * @param {RecordStore} store
 * @param {StreamHandle} stream
 */
export function showRecordList(store, stream) {
  const list = element(document, "#record-rows");
  const table = list?.closest("table");
  if (list === null || !table) return;
  const filter = filterOf(table);
  const listed = readListed();
  watchUnfinished(store, stream);
  store.subscribe((records) => {
    const items = shownRecords(records, listed, filter);
    showItems({ list, items, templateId: "record-row-template", key: "recordId", keyOf: ({ id }) => String(id), fill: fillRow });
    setShown(document, "#no-records", items.length === 0);
  });
}

/**
 * What the list shows: the stream's newest records, and those that the server found further back.
 * @param {Records} records
 * @param {readonly RecordSummary[]} listed
 * @param {Filter} filter
 */
export function shownRecords(records, listed, filter) {
  const further = listed.filter(({ id }) => !records.has(id)).map((record) => /** @type {const} */ ([record.id, record]));
  const all = recordsNewestFirst(new Map([...further, ...records]));
  return all.filter((record) => matches(record, filter)).slice(0, SHOWN);
}

/** @param {RecordSummary} record @param {Filter} filter */
export function matches(record, { problem, language, verdict, userId }) {
  return (problem === "" || record["problem"] === problem)
    && (language === "" || record["language"] === language)
    && (verdict === "" || record["verdict"] === verdict)
    && (userId === null || record["user_id"] === userId);
}

/** @param {HTMLElement} table @returns {Filter} */
function filterOf({ dataset }) {
  const user = dataset["userId"] ?? "";
  return {
    problem: dataset["problem"] ?? "", language: dataset["language"] ?? "", verdict: dataset["verdict"] ?? "",
    userId: user === "" ? null : Number(user),
  };
}

/** @returns {RecordSummary[]} what the server put on this page */
function readListed() {
  return JSON.parse(document.getElementById("listed-records")?.textContent ?? "[]");
}

/** @param {RecordStore} store @param {StreamHandle} stream */
function watchUnfinished(store, stream) {
  let watched = "";
  stream.standing("watch", () => ({ ids: unfinishedIds(store.get()).slice(0, 200) }), commandOptions("watch"));
  stream.handlers.onReply = (reply, { name }) => {
    if (name === "watch" && reply.ok && Array.isArray(reply.data?.records)) store.merge(reply.data.records);
  };
  store.subscribe((records) => {
    const ids = unfinishedIds(records).join();
    if (ids === watched) return;
    watched = ids;
    stream.renew("watch");
  });
}

/** @param {HTMLElement} row @param {RecordSummary} record @param {boolean} isNew */
function fillRow(row, record, isNew) {
  if (!isNew && row.dataset["version"] === String(record.version)) return;
  Object.assign(row.dataset, { recordId: String(record.id), status: record.status, version: String(record.version) });
  const link = element(row, ".record-link");
  if (link instanceof HTMLAnchorElement) {
    link.href = `/records/${record.id}/`;
    link.textContent = `#${record.id}`;
  }
  if (isNew) row.querySelector(".record-time")?.replaceChildren(momentElement(record["submitted_at"]));
  setText(row, ".record-problem", record["problem"]);
  setText(row, ".record-user", record["user"] ?? "");
  setText(row, ".record-language", languageName(record["language"] ?? ""));
  setText(row, ".record-score", points(record["score"]));
  setText(row, ".record-cpu", milliseconds(record["time_ms"]));
  setText(row, ".record-memory", kibibytes(record["memory_kb"]));
  showOutcome(row, record);
  showProgress(row, /** @type {any} */ (record));
  if (isNew) row.classList.add("arriving");
}
