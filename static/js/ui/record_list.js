/** The list of records, following the stream; progress is asked for only for what is not final yet. */

/** @import { StreamHandle } from "../realtime/handles.js" */
/** @import { createRecords, RecordSummary } from "../stores/records.js" */

import { recordsNewestFirst, unfinishedIds } from "../stores/records.js";
import { commandOptions } from "../stores/streams.js";
import { element, setShown, setText, showItems } from "./dom.js";
import { showOutcome, showProgress } from "./outcome.js";
import { momentElement } from "./times.js";
import { kibibytes, milliseconds, points } from "./words.js";

/** @typedef {ReturnType<typeof createRecords>} RecordStore */
/** @typedef {{ problem: string, language: string, verdict: string, user: string, onlyOwn: boolean, userId: number | null }} Filter */

/** As many as the server puts on a page. */
const SHOWN = 50;

/**
 * @param {RecordStore} store
 * @param {StreamHandle} stream
 * @param {number | null} userId
 */
export function showRecordList(store, stream, userId) {
  const list = element(document, "#record-rows");
  const table = list?.closest("table");
  if (list === null || !table) return;
  const filter = filterOf(table, userId);
  watchUnfinished(store, stream);
  store.subscribe((records) => {
    const items = recordsNewestFirst(records).filter((record) => matches(record, filter)).slice(0, SHOWN);
    showItems({ list, items, templateId: "record-row-template", key: "recordId", keyOf: ({ id }) => String(id), fill: fillRow });
    setShown(document, "#no-records", items.length === 0);
  });
}

/** @param {HTMLElement} table @param {number | null} userId @returns {Filter} */
function filterOf({ dataset }, userId) {
  return {
    problem: dataset["problem"] ?? "", language: dataset["language"] ?? "", verdict: dataset["verdict"] ?? "",
    user: dataset["user"] ?? "", onlyOwn: dataset["onlyOwn"] === "true", userId,
  };
}

/**
 * The same choice as the server's. A user name is not in the summaries, so that filter is left to the server.
 * @param {RecordSummary} record
 * @param {Filter} filter
 */
export function matches(record, filter) {
  return (filter.problem === "" || record["problem"] === filter.problem)
    && (filter.language === "" || record["language"] === filter.language)
    && (filter.verdict === "" || record["verdict"] === filter.verdict)
    && (!filter.onlyOwn || record["user_id"] === filter.userId);
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
  setText(row, ".record-language", record["language"]);
  setText(row, ".record-score", points(record["score"]));
  setText(row, ".record-cpu", milliseconds(record["time_ms"]));
  setText(row, ".record-memory", kibibytes(record["memory_kb"]));
  showOutcome(row, record);
  showProgress(row, /** @type {any} */ (record));
  if (isNew) row.classList.add("arriving");
}

