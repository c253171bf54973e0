/** The latest self-test run with its output, as it streams in. */

import { EMPTY_OUTPUT, withPiece } from "./output.js";
import { createStreamStore } from "./store.js";

/** @import { Output } from "./output.js" */

/** @typedef {{ id: number, version: number, attempt: number, status: string } & Record<string, any>} Run */
/** @typedef {{ run: number, attempt: number, stream: string, offset: number, text: string }} Chunk */
/** @typedef {{ run: Run | null, outputs: ReadonlyMap<string, Output> }} SelfTest outputs by run, attempt and stream */

/** In the order in which a run goes through them. */
const STATUSES = ["queued", "compiling", "running", "final"];

/** @param {{ run: Run | null, output?: Chunk[] }} snapshot */
export function createSelfTest(snapshot) {
  return createStreamStore(snapshot, fromSnapshot, applied);
}

/**
 * @param {SelfTest} state
 * @param {"stdout" | "stderr"} stream
 * @returns {string} what the latest attempt at this run has written so far, up to the first hole
 */
export function outputOf({ run, outputs }, stream) {
  if (run === null) return "";
  const attempts = [...outputs.keys()].map((key) => Number(key.split("/")[1]));
  const latest = Math.max(run.attempt, ...attempts);
  return (outputs.get(keyOf(run.id, latest, stream)) ?? EMPTY_OUTPUT).text;
}

/** @param {SelfTest} state @param {{ name: string, data: any }} event @returns {SelfTest} */
function applied(state, { name, data }) {
  switch (name) {
    case "run.queued": return withPlace(state, data);
    case "run.compiling": return withStatus(state, data, "compiling");
    case "run.output": return withChunk(withMeters(withStatus(state, data, "running"), data), data);
    case "run.finished": return withRun(state, data);
    default: return state;
  }
}

/**
 * It waits, or has moved up, or has been given back by a judge that stopped. What was said before the
 * attempt that is known here is old news.
 * @param {SelfTest} state
 * @param {{ run: number, attempt?: number, position: number, language: string }} data
 * @returns {SelfTest}
 */
function withPlace(state, { run: id, attempt = 0, ...rest }) {
  const { run } = state;
  if (run === null || run.id !== id) return withRun(state, { id, version: 0, attempt, status: "queued", ...rest });
  if (run.status === "final" || attempt < run.attempt) return state;
  return { ...state, run: { ...run, attempt, status: "queued", ...rest } };
}

/**
 * An attempt only goes forward, and what is final stays so.
 * @param {SelfTest} state
 * @param {{ run: number, attempt?: number }} data
 * @param {string} status
 * @returns {SelfTest}
 */
function withStatus(state, { run: id, attempt = 0 }, status) {
  const { run } = state;
  if (run === null || run.id !== id || run.status === "final" || attempt < run.attempt) return state;
  if (attempt === run.attempt && STATUSES.indexOf(run.status) >= STATUSES.indexOf(status)) return state;
  return { ...state, run: { ...run, attempt, status } };
}

/**
 * What the program has used so far, while it runs.
 * @param {SelfTest} state
 * @param {{ run: number, time_ms?: number, memory_kb?: number }} data
 * @returns {SelfTest}
 */
function withMeters(state, { run: id, time_ms: timeMs, memory_kb: memoryKb }) {
  const { run } = state;
  if (run === null || run.id !== id || run.status !== "running" || timeMs === undefined) return state;
  return { ...state, run: { ...run, time_ms: timeMs, memory_kb: memoryKb } };
}

/**
 * A later run replaces an earlier one; of one run the newest version counts.
 * @param {SelfTest} state
 * @param {Run} run
 * @returns {SelfTest}
 */
function withRun(state, run) {
  const known = state.run;
  if (known !== null && (known.id > run.id || (known.id === run.id && known.version >= run.version))) return state;
  const outputs = known?.id === run.id ? state.outputs : ofRun(state.outputs, run.id);
  return { run: known?.id === run.id ? { ...known, ...run } : run, outputs };
}

/** @param {SelfTest} state @param {Chunk} chunk @returns {SelfTest} without what belongs to an earlier run */
function withChunk(state, chunk) {
  if (state.run !== null && chunk.run < state.run.id) return state;
  const key = keyOf(chunk.run, chunk.attempt, chunk.stream);
  const known = state.outputs.get(key) ?? EMPTY_OUTPUT;
  const next = withPiece(known, chunk);
  return next === known ? state : { ...state, outputs: new Map(state.outputs).set(key, next) };
}

/** @param {ReadonlyMap<string, Output>} outputs @param {number} run */
function ofRun(outputs, run) {
  return new Map([...outputs].filter(([key]) => key.startsWith(`${run}/`)));
}

/** @param {number} run @param {number} attempt @param {string} stream */
const keyOf = (run, attempt, stream) => `${run}/${attempt}/${stream}`;

/** @param {{ run: Run | null, output?: Chunk[] }} snapshot @returns {SelfTest} */
function fromSnapshot({ run, output = [] }) {
  return output.reduce(withChunk, /** @type {SelfTest} */ ({ run, outputs: new Map() }));
}
