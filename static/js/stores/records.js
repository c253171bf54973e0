/** The list of records: one summary each, the newest version. */

import { createStore, newest } from "./store.js";

/** @typedef {{ id: number, version: number, status: string } & Record<string, any>} RecordSummary */
/** @typedef {ReadonlyMap<number, RecordSummary>} Records */

/** @param {{ records: RecordSummary[] }} snapshot */
export function createRecords(snapshot) {
  const store = createStore(merged(new Map(), snapshot.records));
  return {
    get: store.get,
    subscribe: store.subscribe,

    /** @param {{ records: RecordSummary[] }} fresh what is listed there; nothing known is newer */
    reset: (fresh) => store.set(merged(new Map(), fresh.records)),

    /** @param {RecordSummary[]} records for instance the answer to `watch` */
    merge: (records) => store.set(merged(store.get(), records)),

    /** @param {{ name: string, data: any }} event */
    apply: ({ name, data }) => {
      if (name === "record.updated") store.set(merged(store.get(), [data]));
    },
  };
}

/**
 * @param {Records} records
 * @returns {RecordSummary[]} newest submission first
 */
export function recordsNewestFirst(records) {
  return [...records.values()].sort((a, b) => b.id - a.id);
}

/**
 * @param {Records} records
 * @returns {number[]} ids of those whose progress is worth watching
 */
export function unfinishedIds(records) {
  return recordsNewestFirst(records).filter((record) => record.status !== "final").map((record) => record.id);
}

/** @param {Records} known @param {RecordSummary[]} arrived @returns {Records} */
function merged(known, arrived) {
  const fresh = arrived.filter((record) => newest(known.get(record.id), record) === record);
  if (fresh.length === 0 && known.size > 0) return known;
  const next = new Map(known);
  for (const record of fresh) next.set(record.id, newest(next.get(record.id), record));
  return next;
}
