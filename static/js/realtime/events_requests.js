/** What goes up beside an event stream: what comes up in one turn goes in one request. */

/** @import { EventsOptions } from "./outer_types.js" */

import { byteLength } from "./frames.js";
import { DEFAULT_TIMINGS } from "./timings.js";

/** The server takes no more in one request. */
const MOST_FRAMES = 64;
/** Browsers let a page that is being left send 64 KiB to the end; a unit of text has three bytes at most. */
const KEPT_ALIVE_UNITS = 20_000;
/**
 * A request waits for its answer as long as a probe does, and then goes again: what hangs is one of the browser's
 * connections, maybe no other. After so many it is lost; the machine has asked about its commands long before.
 */
const MOST_TRIES = 3;
/** Of a slow line, 64 kbit/s: what it needs for a large request is not counted against it. */
const BYTES_A_MS = 8;

/** @typedef {{ stream: string, type: string } & Record<string, any>} UpFrame */
/** @typedef {{ client: string, user?: number }} From which document, and whose page it is: nothing is done in another's name */

/**
 * Commands go one request after the other, so that they arrive in order. Words and credit do not wait
 * for them: no command that takes long may make a living connection look dead.
 */
export class Requests {
  /** @type {UpFrame[]} */ #commands = [];
  /** @type {UpFrame[]} */ #words = [];
  /** @type {From} */ #from = { client: "" };
  #planned = false;
  #busy = false;
  #over = false;
  /** @type {UpFrame[]} */ #sent = []; // commands that are in the air
  /** @type {Set<AbortController>} */ #inAir = new Set();
  probeMs = DEFAULT_TIMINGS.probeMs;

  /**
   * @param {EventsOptions} options
   * @param {(frame: any) => void} onAnswer
   * @param {(names: Set<string>) => void} onLost
   */
  constructor(options, onAnswer, onLost) {
    this.options = options;
    this.onAnswer = onAnswer;
    this.onLost = onLost;
  }

  /** @param {From} from @param {UpFrame} frame */
  put(from, frame) {
    this.#from = from;
    (frame.type === "command" ? this.#commands : this.#words).push(frame);
    this.#plan();
  }

  /**
   * No stream is left whose answers matter, and what is in the air is given up at once: of the six connections that
   * a browser makes to a host, requests on a dead path would hold all, and no stream could come back.
   *
   * A page that is left or put aside has its last words, which do not wait: what it has just said and, once more
   * under their numbers, commands without an answer, since browsers end other requests with the page. Else nothing
   * more is said: the streams say it again on their next connection, and must not be contradicted by it then.
   * @param {boolean} parting
   */
  end(parting) {
    this.#over = true;
    for (const request of this.#inAir) request.abort();
    if (parting) {
      this.#commands.unshift(...this.#sent);
      this.#plan();
    } else {
      this.#commands = [];
      this.#words = [];
    }
  }

  /** Not by a timer: what a page says while it is being left goes out in the same task. */
  #plan() {
    if (this.#planned) return;
    this.#planned = true;
    queueMicrotask(() => {
      this.#planned = false;
      this.#flush();
    });
  }

  #flush() {
    if (this.#words.length > 0) void this.#post(this.#words.splice(0, MOST_FRAMES));
    while (this.#commands.length > 0 && (this.#over || !this.#busy)) void this.#postCommands();
  }

  async #postCommands() {
    this.#busy = true;
    this.#sent = this.#commands.splice(0, 1 + this.#alike());
    await this.#post(this.#sent);
    this.#sent = [];
    this.#busy = false;
    this.#flush();
  }

  /** @returns {number} how many after the first may go along: small ones */
  #alike() {
    const big = this.#commands.findIndex((frame) => JSON.stringify(frame.data ?? {}).length > KEPT_ALIVE_UNITS);
    return big === 0 ? 0 : Math.min((big < 0 ? this.#commands.length : big) - 1, MOST_FRAMES - 1);
  }

  /** @param {UpFrame[]} frames */
  async #post(frames) {
    try {
      for (const answer of await this.#answered(frames)) this.onAnswer(answer);
    } catch {
      this.onLost(new Set(frames.map((frame) => frame.stream)));
    }
  }

  /**
   * All that goes up may arrive twice: the server knows commands by their numbers, and words again say nothing new.
   * @param {UpFrame[]} frames
   * @returns {Promise<any[]>}
   */
  async #answered(frames, tries = 1) {
    const request = new AbortController();
    const withinMs = Math.ceil(this.probeMs + byteLength(JSON.stringify(frames)) / BYTES_A_MS);
    this.#inAir.add(request);
    try {
      return await post(this.options, this.#from, frames, withinMs, { keepalive: this.#over, signal: request.signal });
    } catch (error) {
      const silent = error instanceof DOMException && error.name === "TimeoutError";
      if (!silent || this.#over || tries >= MOST_TRIES) throw error;
    } finally {
      this.#inAir.delete(request);
    }
    return this.#answered(frames, tries + 1);
  }
}

/**
 * Does the server answer at all? It is asked where commands go, without any.
 * @param {EventsOptions} options
 * @param {number} withinMs
 * @param {(ok: boolean) => void} tell
 */
export function reach(options, withinMs, tell) {
  post(options, { client: "reach" }, [], withinMs, {}).then(() => tell(true), () => tell(false));
}

/**
 * `keepalive` is for last words alone: browsers see such a request to its end without the page, and some keep its
 * connection for half a minute after it was given up.
 * @param {EventsOptions} options
 * @param {From} from
 * @param {UpFrame[]} frames
 * @param {number} withinMs
 * @param {{ keepalive?: boolean, signal?: AbortSignal }} how
 * @returns {Promise<any[]>} the frames of the answer; rejects for everything else that may come of it
 */
async function post(options, { client, user }, frames, withinMs, { keepalive = false, signal }) {
  const body = JSON.stringify({ client, user, frames });
  const response = await options.request(options.commandsUrl, {
    method: "POST", body, credentials: "same-origin", keepalive: keepalive && body.length < KEPT_ALIVE_UNITS,
    headers: { "Content-Type": "application/json", "X-CSRFToken": options.csrfToken() },
    ...(signal === undefined ? {} : { signal }),
  }, withinMs);
  if (!response.ok) throw new Error(`status ${response.status}`);
  const { frames: answers } = await response.json();
  if (!Array.isArray(answers)) throw new Error("not this site's answer");
  return answers;
}
