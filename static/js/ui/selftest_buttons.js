/** The buttons that start and stop a self-test, and what is said of a press until the server has answered it. */

/** @import { Given } from "./selftest_words.js" */
/** @import { Outcome } from "../realtime/types.js" */
/** @import { StreamHandle } from "../realtime/handles.js" */

import { commandOptions } from "../stores/streams.js";
import { find, setText } from "./dom.js";
import { sayPress, SENDING } from "./press.js";
import { lacking, STOPPING } from "./selftest_words.js";

const FAILED = "This did not get through. Please try again.";

/**
 * @typedef {object} Listener
 * @property {() => Given} given what is to be run now
 * @property {(id: number) => void} onStarted told of each run that this page has started
 * @property {() => void} onStopAnswered
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
    if (this.isStopping && !isGoing) [this.isStopping, this.pendingWords] = [false, ""];
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
    const command = this.#stream.command("run", given, commandOptions("run"));
    sayPress(this.#stream, command, (words) => this.#sayPending(words));
    command.onSettled((outcome) => this.#onRunSettled(outcome));
  }

  /** @param {Outcome} outcome */
  #onRunSettled(outcome) {
    this.isSending = false;
    this.pendingWords = "";
    if (outcome.kind === "reply" && outcome.reply.ok) return this.#listener.onStarted(outcome.reply.data?.run?.id ?? 0);
    disable(this.#run, this.#isGoing || this.#hasEnded);
    return say(refusal(outcome) || FAILED);
  }

  #sendStop() {
    this.isStopping = true;
    disable(this.#stop, true);
    const command = this.#stream.command("cancel", {}, commandOptions("cancel"));
    sayPress(this.#stream, command, (words) => {
      if (this.isStopping) this.#sayPending(words === SENDING ? STOPPING : `stopping is ${words}`);
    });
    command.onSettled((outcome) => this.#onStopSettled(outcome));
  }

  /** @param {Outcome} outcome */
  #onStopSettled(outcome) {
    if (!this.isStopping) return undefined; // that the run is over was told before
    this.pendingWords = "";
    if (outcome.kind === "reply" && outcome.reply.ok) return this.#listener.onStopAnswered();
    this.isStopping = false;
    disable(this.#stop, this.#hasEnded);
    return say(refusal(outcome) || FAILED);
  }

  /** @param {string} words */
  #sayPending(words) {
    this.pendingWords = words;
    say(words);
  }
}

/** @param {Outcome} outcome @returns {string | undefined} the server's words, if it has refused */
function refusal(outcome) {
  return outcome.kind === "reply" ? outcome.reply.error?.message : "";
}

/** @param {HTMLButtonElement | null} button @param {boolean} is */
function disable(button, is) {
  if (button !== null) button.disabled = is;
}

/** @param {string} words */
function say(words) {
  setText(document, "#selftest-state", words);
}
