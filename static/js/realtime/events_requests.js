/** What goes up beside an event stream: what comes up in one turn goes in one request. */

/** @import { EventsOptions } from "./outer_types.js" */

/** The server takes no more in one request. */
const MOST_FRAMES = 64;
/** Browsers let a page that is being left send 64 KiB to the end; a unit of text has three bytes at most. */
const KEPT_ALIVE_UNITS = 20_000;
/** A request without an answer for this long is lost; the machine has asked about its commands long before. */
const LOST_AFTER_MS = 30_000;

/** @typedef {{ stream: string, type: string } & Record<string, any>} UpFrame */
/** @typedef {{ client: string, user?: number }} From which document, and whose page it is: nothing is done in another's name */

/**
 * Commands go one request after the other, so that they arrive in order. Words and credit do not wait
 * for them: no command that takes long may make a living connection look dead.
 */
export class Requests {
  /** @type {UpFrame[]} */ #commands = [];
  /** @type {UpFrame[]} */ #words = [];
  #planned = false;
  #busy = false;
  #over = false;

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
    (frame.type === "command" ? this.#commands : this.#words).push(frame);
    if (this.#planned) return;
    this.#planned = true;
    // Not by a timer: what a page says while it is being left goes out in the same task.
    queueMicrotask(() => {
      this.#planned = false;
      this.#flush(from);
    });
  }

  /**
   * No stream is left whose answers matter. What was said in this very turn are the last words of a page that is
   * being left: they go out, and do not wait. What has waited longer is not said any more: the streams say it again
   * on their next connection, and must not be contradicted by it then.
   */
  end() {
    this.#over = true;
    if (this.#planned) return;
    this.#commands = [];
    this.#words = [];
  }

  /** @param {From} from */
  #flush(from) {
    if (this.#words.length > 0) void this.#post(from, this.#words.splice(0, MOST_FRAMES));
    while (this.#commands.length > 0 && (this.#over || !this.#busy)) void this.#postCommands(from);
  }

  /** @param {From} from */
  async #postCommands(from) {
    this.#busy = true;
    await this.#post(from, this.#commands.splice(0, 1 + this.#alike()));
    this.#busy = false;
    this.#flush(from);
  }

  /** @returns {number} how many after the first may go along: small ones */
  #alike() {
    const big = this.#commands.findIndex((frame) => JSON.stringify(frame.data ?? {}).length > KEPT_ALIVE_UNITS);
    return big === 0 ? 0 : Math.min((big < 0 ? this.#commands.length : big) - 1, MOST_FRAMES - 1);
  }

  /** @param {From} from @param {UpFrame[]} frames */
  async #post(from, frames) {
    try {
      for (const answer of await post(this.options, from, frames, LOST_AFTER_MS)) this.onAnswer(answer);
    } catch {
      this.onLost(new Set(frames.map((frame) => frame.stream)));
    }
  }
}

/**
 * Does the server answer at all? It is asked where commands go, without any.
 * @param {EventsOptions} options
 * @param {number} withinMs
 * @param {(ok: boolean) => void} tell
 */
export function reach(options, withinMs, tell) {
  post(options, { client: "reach" }, [], withinMs).then(() => tell(true), () => tell(false));
}

/**
 * @param {EventsOptions} options
 * @param {From} from
 * @param {UpFrame[]} frames
 * @param {number} withinMs
 * @returns {Promise<any[]>} the frames of the answer; rejects for everything else that may come of it
 */
async function post(options, { client, user }, frames, withinMs) {
  const body = JSON.stringify({ client, user, frames });
  const response = await options.request(options.commandsUrl, {
    method: "POST", body, credentials: "same-origin", keepalive: body.length < KEPT_ALIVE_UNITS,
    headers: { "Content-Type": "application/json", "X-CSRFToken": options.csrfToken() },
  }, withinMs);
  if (!response.ok) throw new Error(`status ${response.status}`);
  const { frames: answers } = await response.json();
  if (!Array.isArray(answers)) throw new Error("not this site's answer");
  return answers;
}
