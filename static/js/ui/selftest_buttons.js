/** The buttons that start and stop a self-test, and what is said of a press until the server has answered it. */

/** @import { Given } from "./selftest_words.js" */
/** @import { Outcome } from "../realtime/types.js" */
/** @import { StreamHandle } from "../realtime/handles.js" */

import { commandOptions } from "../stores/streams.js";
import { find, setText } from "./dom.js";
import { lacking } from "./selftest_words.js";

const FAILED = "This did not get through. Please try again.";

/**
 * @typedef {object} Listener
 * @property {() => Given} given what is to be run now
 * @property {(id: number) => void} onStarted told of each run that this page has started
 * @property {() => void} onStopAnswered it may have been told before that the run is over
 */

export class RunButtons {
  /** Of a press that the server has not answered. */
  pendingWords = "";
  isSending = false;
  isStopping = false;
  #isGoing = false;
  #hasEnded = false;
  #run = find(document, "#selftest-run", HTMLButtonElement);
  #stop = find(document, "#selftest-stop", HTMLButtonElement);
  #stream;
  #listener;

  /** @param {StreamHandle} stream @param {Listener} listener */
  constructor(stream, listener) {
    this.#stream = stream;
    this.#listener = listener;
    this.#run?.addEventListener("click", () => this.#sendRun());
    this.#stop?.addEventListener("click", () => this.#sendStop());
  }

  /** @param {boolean} isGoing whether there is a run that can be stopped */
  follow(isGoing) {
    this.#isGoing = isGoing;
    this.isStopping = this.isStopping && isGoing;
    disable(this.#run, isGoing || this.#hasEnded);
    disable(this.#stop, !isGoing || this.isStopping || this.#hasEnded);
  }

  /** Nothing can be run from this page any more, until `goOn`. @param {string} words */
  end(words) {
    this.#hasEnded = true;
    this.follow(this.#isGoing);
    if (words !== "") say(words);
  }

  goOn() {
    if (!this.#hasEnded) return;
    this.#hasEnded = false;
    this.follow(this.#isGoing);
    say("");
  }

  #sendRun() {
    const given = this.#listener.given();
    const missing = lacking(given);
    if (missing !== "") return say(missing);
    this.isSending = true;
    disable(this.#run, true);
    this.#sayPending("sending …");
    this.#stream.command("run", given, commandOptions("run"))
      .onUnconfirmed(() => this.#sayPending("not confirmed yet: waiting for the server"))
      .onSettled((outcome) => this.#onRunSettled(outcome));
  }

  /** @param {Outcome} outcome */
  #onRunSettled(outcome) {
    this.isSending = false;
    this.pendingWords = "";
    if (outcome.kind === "reply" && outcome.reply.ok) return this.#listener.onStarted(outcome.reply.data?.run?.id ?? 0);
    disable(this.#run, this.#isGoing || this.#hasEnded);
    const words = outcome.kind === "reply" ? outcome.reply.error?.message : "";
    return say(words || FAILED);
  }

  #sendStop() {
    this.isStopping = true;
    disable(this.#stop, true);
    say("stopping …");
    this.#stream.command("cancel", {}, commandOptions("cancel"))
      .onUnconfirmed(() => this.#sayPending("stopping is not confirmed yet: waiting for the server"))
      .onSettled((outcome) => this.#onStopSettled(outcome));
  }

  /** @param {Outcome} outcome */
  #onStopSettled(outcome) {
    this.pendingWords = "";
    if (outcome.kind === "reply") return this.#listener.onStopAnswered();
    this.isStopping = false;
    disable(this.#stop, false);
    return say(FAILED);
  }

  /** @param {string} words */
  #sayPending(words) {
    this.pendingWords = words;
    say(words);
  }
}

/** @param {HTMLButtonElement | null} button @param {boolean} is */
function disable(button, is) {
  if (button !== null) button.disabled = is;
}

/** @param {string} words */
function say(words) {
  setText(document, "#selftest-state", words);
}
