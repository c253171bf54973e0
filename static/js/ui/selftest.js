/** The self-test panel: runs the source on one's own input and shows the output as it streams in. */

/** @import { ContestPage } from "./contest_page.js" */
/** @import { Knowledge } from "./knowledge.js" */
/** @import { Run, SelfTest } from "../stores/selftest.js" */
/** @import { StreamHandle } from "../realtime/handles.js" */
/** @import { Source } from "./source.js" */

import { createSelfTest, outputOf } from "../stores/selftest.js";
import { commandOptions } from "../stores/streams.js";
import { element, find, setShown, setText } from "./dom.js";
import { connectionKnowledge } from "./knowledge.js";
import { rememberRuns } from "./own_runs.js";
import { momentText } from "./times.js";
import { byteCount, kibibytes, milliseconds, outcomeWord } from "./words.js";

const LIMIT_BYTES = 256 * 1024;
const TICK_MS = 200;

/** @param {ContestPage} page @param {HTMLFormElement} form @param {Source} source */
export function openSelfTest(page, form, source) {
  const panel = element(document, "#selftest");
  const opened = page.follow("selftest", createSelfTest);
  if (panel === null || opened === null) return;
  panel.hidden = false;
  const problem = panel.dataset["problem"] ?? "";
  const runs = rememberRuns(page.data.contest, page.data.user?.id);
  const started = (/** @type {number} */ id) => {
    runs.add(id, problem);
    render(opened.store.get());
  };
  const buttons = connectButtons(opened.stream, started, () => render(opened.store.get()), () => ({
    language: find(form, "select[name=language]", HTMLSelectElement)?.value ?? "",
    source: source.text(),
    stdin: find(panel, "#selftest-input", HTMLTextAreaElement)?.value ?? "",
  }));
  // A run of an earlier page: of which text is not known here, so its language and time are told.
  const earlierId = page.data.streams.selftest?.data.run?.id ?? 0;
  const cpuMs = Number(panel.dataset["cpuMs"]);
  const meter = stopwatch();
  const connection = connectionKnowledge();
  const render = (/** @type {SelfTest} */ state) => {
    const { run } = state;
    const knowledge = connection.get();
    const isGoing = run !== null && run.status !== "final";
    buttons.follow(isGoing);
    const of = run === null || buttons.isSending() ? problem : runs.problemOf(run.id);
    const isHere = of === problem;
    show(panel, isHere ? state : { ...state, run: null });
    showElsewhere(panel, isHere ? null : state, of, cpuMs);
    const isEarlier = run?.id === earlierId;
    const here = () => (run === null ? "" : stateWords(run, { cpuMs, knowledge, isStopping: buttons.isStopping(), isEarlier }));
    const pending = buttons.pendingWords();
    if (pending !== "") setText(panel, "#selftest-state", pending);
    else if (run !== null) setText(panel, "#selftest-state", isHere ? here() : isGoing ? "that run goes on; Stop ends it" : "");
    meter(`${run?.id ?? 0}/${run?.attempt ?? 0}`, { isRunning: isHere && isGoing && run.status !== "queued" && !isEarlier, knowledge, usedMs: run?.["time_ms"] ?? 0 });
  };
  const renderIfOther = (/** @type {() => void} */ change) => {
    const before = connection.get();
    change();
    if (connection.get() !== before) render(opened.store.get());
  };
  opened.stream.handlers.onState = ({ state, reason }) => {
    renderIfOther(() => connection.onState(state));
    if (state === "ended") buttons.end(reason?.message ?? "");
    else buttons.goOn();
  };
  opened.stream.handlers.onPage = (what) => renderIfOther(() => connection.onPage(what));
  opened.store.subscribe((state) => {
    connection.heard();
    render(state);
  });
}

/**
 * @param {StreamHandle} stream
 * @param {(id: number) => void} started told of each run that this page has started
 * @param {() => void} rerender
 * @param {() => { language: string, source: string, stdin: string }} given
 * @returns {{ follow: (isGoing: boolean) => void, isStopping: () => boolean, isSending: () => boolean,
 *   pendingWords: () => string, end: (words: string) => void, goOn: () => void }}
 *   pendingWords: what is said of a press that the server has not answered, before anything that is known of a run;
 *   end: nothing can be run from this page any more, until `goOn`
 */
function connectButtons(stream, started, rerender, given) {
  let [stopping, isGoing, hasEnded, sending] = [false, false, false, false];
  let pending = "";
  const run = find(document, "#selftest-run", HTMLButtonElement);
  const stop = find(document, "#selftest-stop", HTMLButtonElement);
  const say = (/** @type {string} */ words) => setText(document, "#selftest-state", words);
  const sayPending = (/** @type {string} */ words) => say((pending = words));
  run?.addEventListener("click", () => {
    const data = given();
    const missing = lacking(data);
    if (missing !== "") return say(missing);
    run.disabled = sending = true;
    sayPending("sending …");
    stream.command("run", data, commandOptions("run"))
      .onUnconfirmed(() => sayPending("not confirmed yet: waiting for the server"))
      .onSettled((outcome) => {
        sending = false;
        pending = "";
        if (outcome.kind === "reply" && outcome.reply.ok) return started(outcome.reply.data?.run?.id ?? 0);
        run.disabled = isGoing || hasEnded;
        const words = outcome.kind === "reply" ? outcome.reply.error?.message : "";
        return say(words || "This did not get through. Please try again.");
      });
  });
  stop?.addEventListener("click", () => {
    stop.disabled = stopping = true;
    say("stopping …");
    stream.command("cancel", {}, commandOptions("cancel"))
      .onUnconfirmed(() => sayPending("stopping is not confirmed yet: waiting for the server"))
      .onSettled((outcome) => {
        pending = "";
        if (outcome.kind === "reply") return rerender(); // it may have been told before that the run is over
        stop.disabled = stopping = false;
        return say("This did not get through. Please try again.");
      });
  });
  return {
    isStopping: () => stopping,
    isSending: () => sending,
    pendingWords: () => pending,
    follow(going) {
      isGoing = going;
      stopping = stopping && isGoing;
      if (run !== null) run.disabled = isGoing || hasEnded;
      if (stop !== null) stop.disabled = !isGoing || stopping || hasEnded;
    },
    end(words) {
      hasEnded = true;
      this.follow(isGoing);
      if (words !== "") say(words);
    },
    goOn() {
      if (!hasEnded) return;
      hasEnded = false;
      this.follow(isGoing);
      say("");
    },
  };
}

/** @param {{ language: string, source: string, stdin: string }} data @returns {string} what has to be put right first, or nothing */
export function lacking({ language, source, stdin }) {
  const size = (/** @type {string} */ text) => new TextEncoder().encode(text).length;
  if (language === "") return "Choose a language first.";
  if (source.trim() === "") return "There is no source to run.";
  if (size(source) > LIMIT_BYTES) return "The source is larger than 256 KiB.";
  return size(stdin) > LIMIT_BYTES ? "The input is larger than 256 KiB." : "";
}

/**
 * A run that was started on the page of another problem, or nobody here knows where: one line, with its output folded in.
 * @param {HTMLElement} panel
 * @param {SelfTest | null} state null: there is none
 * @param {string | null} of label of its problem
 * @param {number} cpuMs
 */
function showElsewhere(panel, state, of, cpuMs) {
  setShown(panel, "#selftest-elsewhere", state?.run != null);
  if (state?.run == null) return;
  const { run } = state;
  setText(panel, "#selftest-elsewhere summary", elsewhereWords(run, of, cpuMs));
  setText(panel, "#selftest-elsewhere pre", [outputOf(state, "stdout"), run["compiler_output"], outputOf(state, "stderr")].filter(Boolean).join("\n"));
}

/** @param {Run} run @param {string | null} of @param {number} cpuMs @returns {string} */
export function elsewhereWords(run, of, cpuMs) {
  const when = run["asked_at"] ? `, started at ${momentText(run["asked_at"])}` : "";
  return `Your last run${of === null ? "" : ` of problem ${of}`} (${run["language"]})${when}: ${stateText(run, cpuMs)}`;
}

/** @param {HTMLElement} panel @param {SelfTest} state */
function show(panel, state) {
  const { run } = state;
  if (run === null) return;
  const [out, err] = [outputOf(state, "stdout"), outputOf(state, "stderr")];
  const messages = [run["compiler_output"], err].filter(Boolean).join("\n");
  append(panel, "#selftest-output", out);
  append(panel, "#selftest-errors", messages);
  setShown(panel, "#selftest-errors", messages !== "");
  setText(panel, "#selftest-bytes", byteCount(new TextEncoder().encode(out).length));
  const isFinal = run.status === "final";
  // While it runs, the stopwatch writes the time; nothing of the run before may stand there.
  if (isFinal || run.status === "queued") setText(panel, "#selftest-time", isFinal ? milliseconds(run["time_ms"]) || "–" : "–");
  const isKnown = isFinal || run.status === "running";
  setText(panel, "#selftest-memory", isKnown ? kibibytes(run["memory_kb"]) || "–" : "–");
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
  const words = (isStopping && isGoing ? "stopping …" : stateText(run, cpuMs)) + doubt;
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

/** Writes only what is new, so that a long output is not laid out again with every piece. @param {HTMLElement} panel @param {string} selector @param {string} text */
function append(panel, selector, text) {
  const target = element(panel, selector);
  const known = target?.textContent ?? "";
  if (target === null || known === text) return;
  const atEnd = target.scrollTop + target.clientHeight >= target.scrollHeight - 4;
  if (known !== "" && text.startsWith(known)) target.append(text.slice(known.length));
  else target.textContent = text;
  if (atEnd) target.scrollTop = target.scrollHeight;
}

/**
 * Shows the processor time that the judge tells of, and how long the run has been going on by this page's clock,
 * until the judge says what it took. Without a proven connection nobody here knows whether it still goes on, so it is
 * not counted on. A run whose judge or server ended begins anew, and so does its time.
 */
function stopwatch() {
  let [shownAttempt, sinceMs, counting, usedMs] = ["", 0, false, 0];
  const tick = () => {
    if (!counting) return;
    const waited = `${((performance.now() - sinceMs) / 1000).toFixed(1)} s so far`;
    setText(document, "#selftest-time", usedMs > 0 ? `${milliseconds(usedMs)}, ${waited}` : waited);
  };
  setInterval(tick, TICK_MS);
  return (/** @type {string} */ attempt, /** @type {{ isRunning: boolean, knowledge: Knowledge, usedMs: number }} */ now) => {
    if (now.isRunning && attempt !== shownAttempt) [shownAttempt, sinceMs] = [attempt, performance.now()];
    counting = now.isRunning && now.knowledge === "known";
    usedMs = now.usedMs;
    if (now.isRunning && now.knowledge === "lost") setText(document, "#selftest-time", "–");
    tick();
  };
}
