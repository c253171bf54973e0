/** The self-test panel: runs the source on one's own input and shows the output as it streams in. */

/** @import { ContestPage } from "./contest_page.js" */
/** @import { Run, SelfTest } from "../stores/selftest.js" */
/** @import { StreamHandle } from "../realtime/handles.js" */
/** @import { Source } from "./source.js" */

import { createSelfTest, outputOf } from "../stores/selftest.js";
import { commandOptions } from "../stores/streams.js";
import { element, find, setShown, setText } from "./dom.js";
import { byteCount, kibibytes, milliseconds, outcomeWord } from "./words.js";

const LIMIT_BYTES = 256 * 1024;
const TICK_MS = 200;

/** @param {ContestPage} page @param {HTMLFormElement} form @param {Source} source */
export function openSelfTest(page, form, source) {
  const panel = element(document, "#selftest");
  const opened = page.follow("selftest", createSelfTest);
  if (panel === null || opened === null) return;
  panel.hidden = false;
  const buttons = connectButtons(opened.stream, () => ({
    language: find(form, "select[name=language]", HTMLSelectElement)?.value ?? "",
    source: source.text(),
    stdin: find(panel, "#selftest-input", HTMLTextAreaElement)?.value ?? "",
  }));
  const meter = stopwatch();
  opened.store.subscribe((state) => {
    show(panel, state);
    buttons(state.run !== null && state.run.status !== "final");
    meter(state.run?.id ?? 0, state.run?.status === "running" || state.run?.status === "compiling");
  });
}

/**
 * @param {StreamHandle} stream
 * @param {() => { language: string, source: string, stdin: string }} given
 * @returns {(isRunning: boolean) => void}
 */
function connectButtons(stream, given) {
  const run = find(document, "#selftest-run", HTMLButtonElement);
  const stop = find(document, "#selftest-stop", HTMLButtonElement);
  const say = (/** @type {string} */ words) => setText(document, "#selftest-state", words);
  run?.addEventListener("click", () => {
    const data = given();
    const missing = lacking(data);
    if (missing !== "") return say(missing);
    run.disabled = true;
    say("sending …");
    stream.command("run", data, commandOptions("run"))
      .onUnconfirmed(() => say("not confirmed yet: waiting for the server"))
      .onSettled((outcome) => {
        if (outcome.kind === "reply" && outcome.reply.ok) return;
        run.disabled = false;
        const words = outcome.kind === "reply" ? outcome.reply.error?.message : "";
        say(words || "This did not get through. Please try again.");
      });
  });
  stop?.addEventListener("click", () => {
    stop.disabled = true;
    say("stopping …");
    stream.command("cancel", {}, commandOptions("cancel")).onSettled((outcome) => {
      if (outcome.kind !== "reply") stop.disabled = false;
    });
  });
  return (isRunning) => {
    if (run !== null) run.disabled = isRunning;
    if (stop !== null) stop.disabled = !isRunning;
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

/** @param {HTMLElement} panel @param {SelfTest} state */
function show(panel, state) {
  const { run } = state;
  if (run === null) return;
  const [out, err] = [outputOf(state, "stdout"), outputOf(state, "stderr")];
  const messages = [run["compiler_output"], err].filter(Boolean).join("\n");
  setText(panel, "#selftest-state", stateText(run));
  append(panel, "#selftest-output", out);
  append(panel, "#selftest-errors", messages);
  setShown(panel, "#selftest-errors", messages !== "");
  setText(panel, "#selftest-bytes", byteCount(new TextEncoder().encode(out).length));
  if (run.status !== "final") return;
  setText(panel, "#selftest-time", milliseconds(run["time_ms"]) || "–");
  setText(panel, "#selftest-memory", kibibytes(run["memory_kb"]) || "–");
}

/** @param {Run} run @returns {string} */
export function stateText(run) {
  if (run.status === "queued") return run["position"] > 1 ? `waiting, number ${run["position"]}` : "waiting for the judge";
  if (run.status !== "final") return run.status;
  const status = run["exit_status"];
  const exit = typeof status !== "number" || status === 0 ? "" : status < 0 ? `, ended by signal ${-status}` : `, exit status ${status}`;
  const cut = (run["cut"] ?? []).length > 0 ? `; cut: ${run["cut"].join(", ")}` : "";
  const word = run["verdict"] === "AC" ? "finished" : outcomeWord(run["verdict"] ?? "finished");
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

/** Shows how long the run has been going on, by this page's clock, until the judge says what it took. */
function stopwatch() {
  let [shownRun, sinceMs] = [0, 0];
  let running = false;
  setInterval(() => {
    if (running) setText(document, "#selftest-time", `${((performance.now() - sinceMs) / 1000).toFixed(1)} s so far`);
  }, TICK_MS);
  return (/** @type {number} */ run, /** @type {boolean} */ isRunning) => {
    if (isRunning && (run !== shownRun || !running)) [shownRun, sinceMs] = [run, performance.now()];
    running = isRunning;
  };
}
