/** The self-test panel: runs the source on one's own input and shows the output as it streams in. */

/** @import { ContestPage } from "./contest_page.js" */
/** @import { Knowledge } from "./knowledge.js" */
/** @import { Run, SelfTest } from "../stores/selftest.js" */
/** @import { StreamHandle } from "../realtime/handles.js" */
/** @import { Given } from "./selftest_words.js" */
/** @import { Source } from "./source.js" */

import { createSelfTest, outputOf } from "../stores/selftest.js";
import { element, find, setShown, setText } from "./dom.js";
import { connectionKnowledge } from "./knowledge.js";
import { rememberRuns } from "./own_runs.js";
import { RunButtons } from "./selftest_buttons.js";
import { elsewhereWords, stateWords } from "./selftest_words.js";
import { byteCount, kibibytes, milliseconds } from "./words.js";

const TICK_MS = 200;

/** @param {ContestPage} page @param {HTMLFormElement} form @param {Source} source */
export function openSelfTest(page, form, source) {
  const panel = element(document, "#selftest");
  const opened = page.follow("selftest", createSelfTest);
  if (panel === null || opened === null) return;
  const given = () => ({
    language: find(form, "select[name=language]", HTMLSelectElement)?.value ?? "",
    source: source.text(),
    stdin: find(panel, "#selftest-input", HTMLTextAreaElement)?.value ?? "",
  });
  new SelfTestPanel(page, panel, opened, given).start();
}

class SelfTestPanel {
  #connection = connectionKnowledge();
  #meter = stopwatch();
  #panel;
  #store;
  #stream;
  #problem;
  #cpuMs;
  #earlierId;
  #runs;
  #buttons;

  /**
   * @param {ContestPage} page
   * @param {HTMLElement} panel
   * @param {{ store: ReturnType<typeof createSelfTest>, stream: StreamHandle }} opened
   * @param {() => Given} given
   */
  constructor(page, panel, { store, stream }, given) {
    this.#panel = panel;
    this.#store = store;
    this.#stream = stream;
    this.#problem = panel.dataset["problem"] ?? "";
    this.#cpuMs = Number(panel.dataset["cpuMs"]);
    // A run of an earlier page: of which text is not known here, so its language and time are told.
    this.#earlierId = page.data.streams.selftest?.data.run?.id ?? 0;
    this.#runs = rememberRuns(page.data.contest, page.data.user?.id);
    this.#buttons = new RunButtons(stream, {
      given, onStarted: (id) => this.#onStarted(id), onChanged: () => this.#render(),
    });
  }

  start() {
    this.#panel.hidden = false;
    this.#stream.handlers.onState = ({ state, reason }) => {
      this.#renderIfOther(() => this.#connection.onState(state));
      if (state === "ended") this.#buttons.end(reason?.message ?? "");
      else this.#buttons.goOn();
    };
    this.#stream.handlers.onPage = (what) => this.#renderIfOther(() => this.#connection.onPage(what));
    this.#store.subscribe(() => {
      this.#connection.heard();
      this.#render();
    });
  }

  /** @param {number} id of a run that this page has started */
  #onStarted(id) {
    this.#runs.add(id, this.#problem);
    this.#render();
  }

  /** @param {() => void} change of what is known by the connection */
  #renderIfOther(change) {
    const before = this.#connection.get();
    change();
    if (this.#connection.get() !== before) this.#render();
  }

  #render() {
    const state = this.#store.get();
    const { run } = state;
    const isGoing = run !== null && run.status !== "final";
    this.#buttons.follow(isGoing ? run.id : null);
    const of = run === null || this.#buttons.isSending ? this.#problem : this.#runs.problemOf(run.id);
    const isHere = of === this.#problem;
    show(this.#panel, isHere ? state : { ...state, run: null });
    showElsewhere(this.#panel, isHere ? null : state, of, this.#cpuMs);
    this.#showState(run, isHere);
    this.#meter(`${run?.id ?? 0}/${run?.attempt ?? 0}`, {
      isRunning: isHere && isGoing && run.status !== "queued" && run.id !== this.#earlierId,
      knowledge: this.#connection.get(), usedMs: run?.["time_ms"] ?? 0,
    });
  }

  /** What is pending comes before anything that is known of a run. @param {Run | null} run @param {boolean} isHere of this page's problem */
  #showState(run, isHere) {
    const { pendingWords, isStopping } = this.#buttons;
    if (pendingWords !== "") setText(this.#panel, "#selftest-state", pendingWords);
    else if (run !== null && !isHere) setText(this.#panel, "#selftest-state", run.status === "final" ? "" : "that run goes on; Stop ends it");
    else if (run !== null) {
      const situation = { cpuMs: this.#cpuMs, knowledge: this.#connection.get(), isStopping, isEarlier: run.id === this.#earlierId };
      setText(this.#panel, "#selftest-state", stateWords(run, situation));
    }
  }
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
