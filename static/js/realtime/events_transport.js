/**
 * The second way: what comes down comes in one streamed response for all streams of the document,
 * what goes up goes in requests. Every stream sees a connection like a WebSocket's.
 */

/** @import { Connection, ConnectionHandlers, EventsOptions, Fallback } from "./outer_types.js" */

import { reach, Requests } from "./events_requests.js";
import { readEvents } from "./events_text.js";
import { DEFAULT_TIMINGS, withWire } from "./timings.js";

const CUT = 1006;
const WORDS = new Set(["ping", "pong"]);

/** What of a `hello` goes into the address beside client and cursor. Addresses are kept in logs: a token does not. */
const SAID = /** @type {const} */ (["try", "cause", "gap_ms", "stats", "user"]);

/**
 * @param {EventsOptions} options
 * @returns {Fallback}
 */
export function eventsTransport(options) {
  /** @type {SharedResponse | null} */
  let gathering = null;
  return {
    name: "events",
    reach: (withinMs, tell) => reach(options, withinMs, tell),
    open(url, handlers) {
      if (gathering === null) {
        const response = (gathering = new SharedResponse(options));
        // Whoever is opened in this turn shares the response; by then all have said hello.
        queueMicrotask(() => {
          gathering = null;
          response.greet();
        });
      }
      return gathering.add(options.nameOf(url), handlers);
    },
  };
}

/**
 * @typedef {object} Substream one stream of a response
 * @property {string} name
 * @property {ConnectionHandlers} handlers
 * @property {any} hello
 * @property {boolean} welcomed
 * @property {number | null} fence what its commands have to name, if the server said so
 * @property {boolean} told why it was opened, with the first of these
 * @property {number} state as of WebSocket
 */

class SharedResponse {
  /** @type {Map<string, Substream>} */ #substreams = new Map();
  #abort = new AbortController();
  #requests;

  /** @param {EventsOptions} options */
  constructor(options) {
    this.options = options;
    this.#requests = new Requests(options, (frame) => this.#onAnswer(frame), (names) => this.#onLost(names));
  }

  /** @param {string} name @param {ConnectionHandlers} handlers @returns {Connection} */
  add(name, handlers) {
    /** @type {Substream} */
    const substream = { name, handlers, hello: null, welcomed: false, fence: null, told: false, state: 0 };
    this.#substreams.set(name, substream);
    return {
      send: (text) => this.#send(substream, text),
      retire: (parting) => this.#forget(substream, parting),
      readyState: () => substream.state,
    };
  }

  /** Nothing has to be waited for: the machine says hello, and then the address is known. */
  greet() {
    for (const substream of [...this.#substreams.values()]) substream.handlers.onOpen();
    const substreams = [...this.#substreams.values()].filter((substream) => substream.hello !== null);
    if (substreams.length > 0) void this.#read(substreams);
  }

  /** @param {Substream[]} substreams */
  async #read(substreams) {
    try {
      const response = await this.options.request(addressOf(this.options.eventsUrl, substreams), {
        cache: "no-store", credentials: "same-origin", headers: { Accept: "text/event-stream" }, signal: this.#abort.signal,
      });
      const kind = response.headers.get("content-type") ?? "";
      if (response.ok && response.body !== null && kind.startsWith("text/event-stream")) {
        for (const substream of this.#substreams.values()) substream.state = 1;
        await readEvents(response.body, (data) => this.#onEvent(JSON.parse(data)), () => this.#onComment());
      }
    } catch {
      // cut, refused or given up: the same for its streams
    }
    // A browser that leaves a page for good ends its response before the page hears of it: its last words go first.
    await new Promise((resolve) => this.options.turn(() => resolve(undefined)));
    for (const substream of [...this.#substreams.values()]) this.#close(substream, CUT);
  }

  /** Proof of life for all; a stream that was not welcomed yet has proven nothing. */
  #onComment() {
    for (const substream of [...this.#substreams.values()]) if (substream.welcomed) substream.handlers.onText("pong");
  }

  /** @param {any} event */
  #onEvent({ stream, ...frame }) {
    const substream = this.#substreams.get(stream);
    if (substream === undefined) return;
    if (frame.type === "close") return this.#close(substream, frame.code);
    if (WORDS.has(frame.type)) return substream.handlers.onText(frame.type);
    if (frame.type === "welcome") {
      substream.welcomed = true;
      substream.fence = frame.fence ?? null;
      this.#requests.probeMs = withWire(DEFAULT_TIMINGS, frame.timings).probeMs;
    }
    substream.handlers.onText(JSON.stringify(frame));
  }

  /** @param {any} answer what a request has answered for one stream */
  #onAnswer({ stream, ...frame }) {
    const substream = this.#substreams.get(stream);
    if (substream === undefined) return;
    if (frame.type === "close") this.#close(substream, frame.code);
    else substream.handlers.onBeside(JSON.stringify(frame));
  }

  /** @param {Set<string>} names whose frames did not arrive, as far as anybody knows */
  #onLost(names) {
    for (const name of names) {
      const substream = this.#substreams.get(name);
      if (substream !== undefined) this.#close(substream, CUT);
    }
  }

  /** @param {Substream} substream @param {string} text */
  #send(substream, text) {
    if (WORDS.has(text)) return this.#requests.put(substream.hello, { stream: substream.name, type: text });
    const frame = JSON.parse(text);
    if (frame.type === "hello") {
      substream.hello = frame;
      return;
    }
    const fenced = frame.type === "command" && substream.fence !== null;
    const { cause } = substream.hello;
    const more = fenced ? { fence: substream.fence, ...(substream.told ? {} : { cause }) } : {};
    if (fenced) substream.told = true;
    this.#requests.put(substream.hello, { stream: substream.name, ...frame, ...more });
  }

  /** @param {Substream} substream @param {number} code */
  #close(substream, code) {
    if (!this.#forget(substream)) return;
    substream.handlers.onClose(code);
  }

  /**
   * The others of the response go on; the last one takes it along.
   * @param {Substream} substream
   * @param {boolean} [parting]
   * @returns {boolean} it was there
   */
  #forget(substream, parting = false) {
    substream.state = 3;
    if (this.#substreams.get(substream.name) !== substream) return false;
    this.#substreams.delete(substream.name);
    if (this.#substreams.size > 0) return true;
    this.#abort.abort();
    this.#requests.end(parting);
    return true;
  }
}

/** @param {string} path @param {Substream[]} substreams */
function addressOf(path, substreams) {
  const given = new URLSearchParams();
  given.set("streams", substreams.map((substream) => substream.name).join(","));
  given.set("client", substreams[0]?.hello.client);
  const cursors = substreams.filter((substream) => substream.hello.cursor !== undefined);
  given.set("cursor", JSON.stringify(Object.fromEntries(cursors.map((substream) => [substream.name, substream.hello.cursor]))));
  const said = (/** @type {any} */ hello) =>
    Object.fromEntries(SAID.flatMap((key) => (hello[key] === undefined ? [] : [[key, hello[key]]])));
  given.set("hello", JSON.stringify(Object.fromEntries(substreams.map((substream) => [substream.name, said(substream.hello)]))));
  return `${path}?${given}`;
}
