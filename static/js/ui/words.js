/** How pages write times, sizes, scores and outcomes: the same forms as the server's templates. */

/** @type {Readonly<Record<string, string>>} */
const OUTCOMES = Object.freeze({
  AC: "accepted",
  WA: "wrong answer",
  TLE: "time limit exceeded",
  MLE: "memory limit exceeded",
  OLE: "output limit exceeded",
  RE: "run-time error",
  CE: "compile error",
  JE: "judge error",
  queued: "waiting for the judge",
  compiling: "compiling",
  running: "running",
  final: "judged; the verdict is shown after the contest",
});

/** @type {Readonly<Record<string, string>>} */
const LANGUAGES = Object.freeze({
  c: "C", cpp: "C++", python: "Python 3", java: "Java", javascript: "JavaScript", go: "Go", rust: "Rust", pascal: "Pascal",
});

/** Behind a time; kept in one piece, on a line of its own where there is no room beside it. */
export const NOT_SYNCHRONISED = " (not\u00a0synchronised)";

/** @param {string} code of a programming language */
export function languageName(code) {
  return LANGUAGES[code] ?? code;
}

/** @param {string} code a verdict or a status */
export function outcomeWord(code) {
  return OUTCOMES[code] ?? code;
}

/** @param {{ verdict?: string | null, status?: string }} summary @returns {string} verdict, or status while there is none */
export function outcomeOf({ verdict, status }) {
  return verdict || status || "";
}

/** @param {number | null | undefined} ms */
export function milliseconds(ms) {
  if (ms === null || ms === undefined) return "";
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** @param {number | null | undefined} kib */
export function kibibytes(kib) {
  if (kib === null || kib === undefined) return "";
  return kib < 1024 ? `${kib} KiB` : `${(kib / 1024).toFixed(1)} MiB`;
}

/** @param {number} bytes */
export function byteCount(bytes) {
  return bytes < 1024 ? `${bytes} B` : kibibytes(Math.round(bytes / 1024));
}

/** @param {number | null | undefined} score */
export function points(score) {
  return score === null || score === undefined ? "" : String(Number(score.toFixed(2)));
}

/** @param {number} ms @returns {string} 7384000 → "2:03:04" */
export function clockText(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (/** @type {number} */ part) => String(part).padStart(2, "0");
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** @param {number} ms its sign is left out @returns {string} 900000 → "15 minutes", 90000 → "1 min 30 s", 5400000 → "1 h 30 min" */
export function span(ms) {
  const seconds = Math.round(Math.abs(ms) / 1000);
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  if (minutes >= 120) return `${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ""}`;
  if (rest !== 0 && minutes !== 0) return `${minutes} min ${rest} s`;
  if (rest !== 0) return rest === 1 ? "1 second" : `${rest} seconds`;
  return minutes === 1 ? "1 minute" : `${minutes} minutes`;
}

/** @param {number} seconds whole ones, at least 1 @returns {string} */
export function inSeconds(seconds) {
  return `in ${seconds} s`;
}
