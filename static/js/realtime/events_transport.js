/**
 * The second way: what comes down comes in one streamed response for all streams of the document,
 * what goes up goes in requests. Every stream sees a connection like a WebSocket's.
 */

/** @import { Connection, ConnectionHandlers, EventsOptions, Fallback } from "./outer_types.js" */

import { reach, Requests } from "./events_requests.js";
import { readEvents } from "./events_text.js";

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
 * @typedef {object} Line one stream of a response
 * @property {string} name
 * @property {ConnectionHandlers} handlers
 * @property {any} hello
 * @property {boolean} welcomed
 * @property {number | null} fence what its commands have to name, if the server said so
 * @property {boolean} told why it was opened, with the first of these
 * @property {number} state as of WebSocket
 */

class SharedResponse {
  /** @type {Map<string, Line>} */ #lines = new Map();
  #abort = new AbortController();
  #requests;

  /** @param {EventsOptions} options */
  constructor(options) {
    this.options = options;
    this.#requests = new Requests(options, (frame) => this.#onAnswer(frame), (names) => this.#onLost(names));
  }

  /** @param {string} name @param {ConnectionHandlers} handlers @returns {Connection} */
  add(name, handlers) {
    /** @type {Line} */
    const line = { name, handlers, hello: null, welcomed: false, fence: null, told: false, state: 0 };
    this.#lines.set(name, line);
    return {
      send: (text) => this.#send(line, text),
      retire: () => this.#retire(line),
      readyState: () => line.state,
    };
  }

  /** Nothing has to be waited for: the machine says hello, and then the address is known. */
  greet() {
    for (const line of [...this.#lines.values()]) line.handlers.onOpen();
    const lines = [...this.#lines.values()].filter((line) => line.hello !== null);
    if (lines.length > 0) void this.#read(lines);
  }

  /** @param {Line[]} lines */
  async #read(lines) {
    try {
      const response = await this.options.request(addressOf(this.options.eventsUrl, lines), {
        cache: "no-store", credentials: "same-origin", headers: { Accept: "text/event-stream" }, signal: this.#abort.signal,
      });
      const kind = response.headers.get("content-type") ?? "";
      if (response.ok && response.body !== null && kind.startsWith("text/event-stream")) {
        for (const line of this.#lines.values()) line.state = 1;
        await readEvents(response.body, (data) => this.#onEvent(JSON.parse(data)), () => this.#onComment());
      }
    } catch {
      // cut, refused or given up: the same for its streams
    }
    for (const line of [...this.#lines.values()]) this.#close(line, CUT);
  }

  /** Proof of life for all; a stream that was not welcomed yet has proven nothing. */
  #onComment() {
    for (const line of [...this.#lines.values()]) if (line.welcomed) line.handlers.onText("pong");
  }

  /** @param {any} event */
  #onEvent({ stream, ...frame }) {
    const line = this.#lines.get(stream);
    if (line === undefined) return;
    if (frame.type === "close") return this.#close(line, frame.code);
    if (WORDS.has(frame.type)) return line.handlers.onText(frame.type);
    if (frame.type === "welcome") {
      line.welcomed = true;
      line.fence = frame.fence ?? null;
    }
    line.handlers.onText(JSON.stringify(frame));
  }

  /** @param {any} answer what a request has answered for one stream */
  #onAnswer({ stream, ...frame }) {
    const line = this.#lines.get(stream);
    if (line === undefined) return;
    if (frame.type === "close") this.#close(line, frame.code);
    else line.handlers.onBeside(JSON.stringify(frame));
  }

  /** @param {Set<string>} names whose frames did not arrive, as far as anybody knows */
  #onLost(names) {
    for (const name of names) {
      const line = this.#lines.get(name);
      if (line !== undefined) this.#close(line, CUT);
    }
  }

  /** @param {Line} line @param {string} text */
  #send(line, text) {
    if (WORDS.has(text)) return this.#requests.put(line.hello, { stream: line.name, type: text });
    const frame = JSON.parse(text);
    if (frame.type === "hello") {
      line.hello = frame;
      return;
    }
    const fenced = frame.type === "command" && line.fence !== null;
    const { cause } = line.hello;
    const more = fenced ? { fence: line.fence, ...(line.told ? {} : { cause }) } : {};
    if (fenced) line.told = true;
    this.#requests.put(line.hello, { stream: line.name, ...frame, ...more });
  }

  /** @param {Line} line @param {number} code */
  #close(line, code) {
    if (!this.#forget(line)) return;
    line.handlers.onClose(code);
  }

  /** The others of the response go on; the last one takes it along. @param {Line} line */
  #retire(line) {
    this.#forget(line);
  }

  /** @param {Line} line @returns {boolean} it was there */
  #forget(line) {
    line.state = 3;
    if (this.#lines.get(line.name) !== line) return false;
    this.#lines.delete(line.name);
    if (this.#lines.size > 0) return true;
    this.#abort.abort();
    this.#requests.end();
    return true;
  }
}

/** @param {string} path @param {Line[]} lines */
function addressOf(path, lines) {
  const given = new URLSearchParams();
  given.set("streams", lines.map((line) => line.name).join(","));
  given.set("client", lines[0]?.hello.client);
  const cursors = lines.filter((line) => line.hello.cursor !== undefined);
  given.set("cursor", JSON.stringify(Object.fromEntries(cursors.map((line) => [line.name, line.hello.cursor]))));
  const said = (/** @type {any} */ hello) =>
    Object.fromEntries(SAID.flatMap((key) => (hello[key] === undefined ? [] : [[key, hello[key]]])));
  given.set("hello", JSON.stringify(Object.fromEntries(lines.map((line) => [line.name, said(line.hello)]))));
  return `${path}?${given}`;
}
