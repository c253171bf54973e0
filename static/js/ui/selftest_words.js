/** What is said of a self-test: of one that cannot be started yet, of one that goes on, and of how it ended. */

/** @import { Knowledge } from "./knowledge.js" */
/** @import { Run } from "../stores/selftest.js" */

import { momentText } from "./times.js";
import { outcomeWord } from "./words.js";

const LIMIT_BYTES = 256 * 1024;
export const STOPPING = "stopping …";

/** @typedef {{ language: string, source: string, stdin: string }} Given what is to be run */

/** @param {Given} given @returns {string} what has to be put right first, or nothing */
export function lacking({ language, source, stdin }) {
  const size = (/** @type {string} */ text) => new TextEncoder().encode(text).length;
  if (language === "") return "Choose a language first.";
  if (source.trim() === "") return "There is no source to run.";
  if (size(source) > LIMIT_BYTES) return "The source is larger than 256 KiB.";
  return size(stdin) > LIMIT_BYTES ? "The input is larger than 256 KiB." : "";
}

/** @param {Run} run @param {string | null} of @param {number} cpuMs @returns {string} */
export function elsewhereWords(run, of, cpuMs) {
  const when = run["asked_at"] ? `, started at ${momentText(run["asked_at"])}` : "";
  return `Your last run${of === null ? "" : ` of problem ${of}`} (${run["language"]})${when}: ${stateText(run, cpuMs)}`;
}

/**
 * What is told of a run, with how the page knows it.
 * @param {Run} run
 * @param {{ cpuMs: number, knowledge: Knowledge, isStopping: boolean, isEarlier: boolean }} situation
 * @returns {string}
 */
export function stateWords(run, { cpuMs, knowledge, isStopping, isEarlier }) {
  const isGoing = run.status !== "final";
  if (knowledge === "lost" && isGoing) return "not live: how the run goes is shown when the connection is back";
  const doubt = knowledge === "doubted" && isGoing ? " (as last heard; the connection is in doubt)" : "";
  const words = (isStopping && isGoing ? STOPPING : stateText(run, cpuMs)) + doubt;
  if (!isEarlier) return words;
  const when = run["asked_at"] ? ` of ${momentText(run["asked_at"])}` : "";
  return `Your last run (${run["language"]})${when}: ${words}`;
}

/**
 * @param {Run} run
 * @param {number} cpuMs a run that used less processor time than this and still ran out of time has waited
 * @returns {string}
 */
export function stateText(run, cpuMs) {
  if (run.status === "queued") return run["position"] > 1 ? `waiting, number ${run["position"]}` : "waiting for the judge";
  if (run.status !== "final") return run.status;
  if (!run["verdict"]) return "stopped";
  const status = run["exit_status"];
  const exit = typeof status !== "number" || status === 0 ? "" : status < 0 ? `, ended by signal ${-status}` : `, exit status ${status}`;
  const cut = (run["cut"] ?? []).length > 0 ? `; cut: ${run["cut"].join(", ")}` : "";
  const word = run["verdict"] === "AC" ? "finished" : outcomeWord(run["verdict"]);
  if (run["verdict"] === "TLE") return `${word}${run["time_ms"] < cpuMs ? ": it waited until the time was up" : ""}${cut}`;
  return `${word}${exit}${cut}`;
}
