/** The buttons that start and stop a self-test, and what is said of a press until the server has answered it. */

/** @import { Given } from "./selftest_words.js" */
/** @import { Outcome } from "../realtime/types.js" */
/** @import { StreamHandle } from "../realtime/handles.js" */

import { commandOptions } from "../stores/streams.js";
import { find, setText, switchOff } from "./dom.js";
import { sayPress, SENDING } from "./press.js";
import { lacking, STOPPING } from "./selftest_words.js";

const FAILED = "This did not get through. Please try again.";

/**
 * @typedef {object} Listener
 * @property {() => Given} given what is to be run now
 * @property {(id: number) => void} onStarted told of each run that this page has started
 * @property {() => void} onChanged there is something else to be said of the run
 */

export class RunButtons {
  /** Of a press that the server has not answered. */
  pendingWords = "";
  isSending = false;
  /** The run that can be stopped. @type {number | null} */ #going = null;
  /** The one for which Stop was pressed: another tab may have started the next one meanwhile. @type {number | null} */ #stopping = null;
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

  get isStopping() {
    return this.#stopping !== null;
  }

  /** @param {number | null} going the run that can be stopped, if there is one */
  follow(going) {
    this.#going = going;
    if (this.isStopping && this.#stopping !== going) [this.#stopping, this.pendingWords] = [null, ""];
    switchOff(this.#run, going !== null || this.#hasEnded);
    switchOff(this.#stop, going === null || this.isStopping || this.#hasEnded);
  }

  /** Nothing can be run from this page any more, until `goOn`. @param {string} words */
  end(words) {
    this.#hasEnded = true;
    this.follow(this.#going);
    if (words !== "") say(words);
  }

  goOn() {
    if (!this.#hasEnded) return;
    this.#hasEnded = false;
    say("");
    this.#listener.onChanged();
  }

  #sendRun() {
    const given = this.#listener.given();
    const missing = lacking(given);
    if (missing !== "") return say(missing);
    this.isSending = true;
    switchOff(this.#run, true);
    const command = this.#stream.command("run", given, commandOptions("run"));
    sayPress(this.#stream, command, (words) => this.#sayPending(words));
    command.onSettled((outcome) => this.#onRunSettled(outcome));
  }

  /** @param {Outcome} outcome */
  #onRunSettled(outcome) {
    this.isSending = false;
    this.pendingWords = "";
    if (outcome.kind === "reply" && outcome.reply.ok) return this.#listener.onStarted(outcome.reply.data?.run?.id ?? 0);
    switchOff(this.#run, this.#going !== null || this.#hasEnded);
    return say(refusal(outcome) || FAILED);
  }

  #sendStop() {
    const run = this.#going;
    if (run === null) return;
    this.#stopping = run;
    switchOff(this.#stop, true);
    const command = this.#stream.command("cancel", { run }, commandOptions("cancel"));
    sayPress(this.#stream, command, (words) => {
      if (this.#stopping === run) this.#sayPending(words === SENDING ? STOPPING : `stopping is ${words}`);
    });
    command.onSettled((outcome) => this.#onStopSettled(run, outcome));
  }

  /** @param {number} run @param {Outcome} outcome */
  #onStopSettled(run, outcome) {
    if (this.#stopping !== run) return undefined; // that the run is over was told before
    this.pendingWords = "";
    if (outcome.kind === "reply" && outcome.reply.ok) return this.#listener.onChanged();
    this.#stopping = null;
    switchOff(this.#stop, this.#hasEnded);
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

/** @param {string} words */
function say(words) {
  setText(document, "#selftest-state", words);
}
