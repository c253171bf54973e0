/** One record with its cases, as they finish. */

import { createStreamStore, newest } from "./store.js";

/** @typedef {{ id: number, version: number, status: string } & Record<string, any>} RecordDetail */
/** @typedef {{ index: number, attempt?: number, verdict: string } & Record<string, any>} Case */
/** @typedef {{ record: RecordDetail, cases: ReadonlyMap<string, Case> }} RecordState cases by attempt and index */

/** Nothing of an earlier judging is shown while the record waits for the next one. */
const WAITING = "queued";

/** @param {{ record: RecordDetail, cases: Case[] }} snapshot */
export function createRecord(snapshot) {
  return createStreamStore(snapshot, fromSnapshot, applied);
}

/**
 * The cases of the latest attempt at judging, by index. A record that was reopened has none yet.
 * @param {RecordState} state
 * @returns {Case[]}
 */
export function casesOf({ record, cases }) {
  if (record.status === WAITING) return [];
  const all = [...cases.values()];
  const latest = Math.max(...all.map(attemptOf), record["attempt"] ?? 0);
  return all.filter((each) => attemptOf(each) === latest).sort((a, b) => a.index - b.index);
}

/** @param {RecordState} state @param {{ name: string, data: any }} event @returns {RecordState} */
function applied(state, { name, data }) {
  if (name === "record.updated") return withRecord(state, data);
  return name === "case.finished" ? withCase(state, data) : state;
}

/**
 * Fields that only a snapshot carries stay.
 * @param {RecordState} state
 * @param {RecordDetail} record
 * @returns {RecordState}
 */
function withRecord(state, record) {
  if (newest(state.record, record) === state.record) return state;
  return { ...state, record: { ...state.record, ...record } };
}

/**
 * A case of one attempt never changes, so the first one stays.
 * @param {RecordState} state
 * @param {Case} finished
 * @returns {RecordState}
 */
function withCase(state, finished) {
  const key = keyOf(finished);
  return state.cases.has(key) ? state : { ...state, cases: new Map(state.cases).set(key, finished) };
}

/** @param {Case} each */
const attemptOf = (each) => each.attempt ?? 0;

/** @param {Case} each */
const keyOf = (each) => `${attemptOf(each)}/${each.index}`;

/** @param {{ record: RecordDetail, cases: Case[] }} snapshot @returns {RecordState} */
function fromSnapshot({ record, cases }) {
  return { record, cases: new Map(cases.map((each) => [keyOf(each), each])) };
}
