/**
 * Live connections that never lie: the public entry. The library knows nothing of what its streams
 * carry. Everything else in this folder is its own business.
 */

/** @import { Cursor, Timings, VisibleState } from "./types.js" */
/** @import { Carrier, Effect, Shown } from "./machine_types.js" */
/** @import { Environment, Handlers, ShownNow } from "./outer_types.js" */

import { serverNow } from "./clock.js";
import { Driver } from "./driver.js";
import { browserEnvironment } from "./environment.js";
import { CommandError, CommandHandle, StreamHandle } from "./handles.js";
import { inspect, inspectPage } from "./inspect.js";
import { createLink, momentOf, stepLink } from "./link.js";
import { summaryOf, visibleState } from "./link_view.js";
import { DEFAULT_TIMINGS, withWire } from "./timings.js";

/**
 * @typedef {object} OpenOptions
 * @property {string} name
 * @property {string} url a path on the page's own host
 * @property {Cursor | null} [cursor] where the page's own snapshot ends; none: start with a snapshot
 * @property {boolean} [keepHidden] stays open while the page is hidden
 * @property {boolean} [preferred] tries for all others after a common failure
 * @property {number} [mostBytes] of one frame sent; more is refused here instead of by the server
 * @property {{ name: string, data: object }} [timeCommand] one without effect, whose reply tells the
 *   server's time: sent when a visible page has not heard it for four minutes
 */

/**
 * @typedef {ShownNow & { streams: Record<string, VisibleState>, carrier: Carrier }} Summary
 *   carrier: the way that the page takes, or tries next
 */

/** All live connections of one page. */
export class Link {
  /** @type {Map<string, StreamHandle>} */ #streams = new Map();
  /** Who waits for a command: a stream that was opened anew owes its answers to the old handle.
   * @type {Map<number, StreamHandle>} */ #waiting = new Map();
  #refs = 0;
  /** @type {Set<(summary: Summary) => void>} */ #listeners = new Set();
  /** @type {Driver} */ #driver;
  /** @type {Environment} */ #environment;
  /** @type {() => void} */ #stopListening;
  #client;
  #user;

  /**
   * @param {object} options
   * @param {Environment} options.environment
   * @param {object} [options.timings] the server's, as on the wire
   * @param {number | null} [options.user] whose page it is: the server turns it away under another's session
   */
  constructor({ environment, timings = {}, user = null }) {
    this.#user = user;
    this.#environment = environment;
    this.#client = environment.newClientId();
    const fallback = environment.fallback !== undefined;
    const start = { timings: withWire(DEFAULT_TIMINGS, timings), fallback, ...environment.page() };
    this.#driver = new Driver(stepLink, createLink(start, environment.read()), environment, {
      deliver: (effect) => this.#streams.get(effect.stream)?.deliver(effect),
      tell: (effect) => this.#tell(effect),
    });
    this.#stopListening = environment.listen((what) => this.#driver.pageEvent(what));
    environment.expose({ connections: () => this.connections(), page: () => this.page() });
  }

  /** Id of this document: 16 random bytes, kept in memory only. */
  get client() {
    return this.#client;
  }

  /** @returns {Timings} */
  get timings() {
    return this.#driver.state.timings;
  }

  /**
   * @param {OpenOptions & Handlers} options
   * @returns {StreamHandle}
   */
  open({ name, url, cursor = null, keepHidden = false, preferred = false, mostBytes, timeCommand, ...handlers }) {
    const handle = new StreamHandle(name, handlers, {
      dispatch: (event) => this.#driver.dispatch({ type: "stream", stream: name, event }),
      report: (error) => this.#environment.report(error),
      number: (owner) => this.#numbered(owner),
    });
    this.#streams.get(name)?.close();
    this.#streams.set(name, handle);
    const client = this.#client;
    const options = { name, url, client, user: this.#user, cursor, keepHidden, preferred, timeCommand: timeCommand ?? null };
    this.#driver.dispatch({ type: "open", options: mostBytes === undefined ? options : { ...options, mostBytes } });
    return handle;
  }

  /**
   * For the badge: called at once and with every change of what a person may see.
   * @param {(summary: Summary) => void} listener
   * @returns {() => void} ends it
   */
  subscribe(listener) {
    this.#listeners.add(listener);
    listener(this.summary());
    return () => this.#listeners.delete(listener);
  }

  /** @returns {Summary} */
  summary() {
    const { state } = this.#driver;
    const now = this.#now();
    const streams = Object.fromEntries(state.streams.map((stream) => [stream.name, visibleState(state, stream, now)]));
    return { ...shownNow(summaryOf(state, now), now.ms), streams, carrier: state.route.carrier };
  }

  /** A person does not want to wait. */
  tryNow() {
    this.#driver.dispatch({ type: "try-now" });
  }

  /** The user or the context has changed: what was typed for the old one is not sent any more. */
  changeContext() {
    this.#driver.dispatch({ type: "context" });
  }

  /**
   * What ended streams for `reason` is not so any more, the same person has signed in again for one: they go on from
   * where they were left, under the handles that the page has.
   * @param {string} reason as in `end` frames
   */
  revive(reason) {
    for (const stream of this.#streams.keys()) {
      this.#driver.dispatch({ type: "stream", stream, event: { type: "revive", reason } });
    }
  }

  /** Ends everything; the page stays. */
  close() {
    this.#stopListening();
    for (const stream of this.#streams.values()) stream.close();
  }

  /** @returns {{ serverMs: number, errorMs: number } | null} the server's clock now; null: not synchronised */
  serverNow() {
    return serverNow(this.#driver.state.clock, this.#now());
  }

  /** For whoever looks inside: each stream. */
  connections() {
    const { state } = this.#driver;
    const now = this.#now();
    const { transport, fallback } = this.#environment;
    return state.streams.map((stream) => ({
      ...inspect(state, stream, now),
      transport: (stream.carrier === "events" && fallback ? fallback : transport).name,
      readyState: this.#driver.readyState(stream.name),
    }));
  }

  /** For whoever looks inside: what the streams share. */
  page() {
    return { client: this.#client, ...inspectPage(this.#driver.state, this.#now()) };
  }

  /** @param {StreamHandle} owner @returns {number} */
  #numbered(owner) {
    this.#waiting.set(++this.#refs, owner);
    return this.#refs;
  }

  /** @param {Extract<Effect, { type: "settle" | "sent" | "unconfirmed" }>} effect */
  #tellOwner(effect) {
    const owner = this.#waiting.get(effect.ref);
    if (effect.type === "settle") this.#waiting.delete(effect.ref);
    owner?.tell(effect);
  }

  #now() {
    return momentOf(this.#driver.state, this.#environment.read())[1];
  }

  /** @param {Effect} effect */
  #tell(effect) {
    switch (effect.type) {
      case "summary": return this.#announce();
      case "settle":
      case "sent":
      case "unconfirmed": return this.#tellOwner(effect);
      case "shown": return this.#streams.get(effect.stream)?.show(shownNow(effect.shown, this.#now().ms));
      default: return "stream" in effect ? this.#streams.get(effect.stream)?.tell(effect) : undefined;
    }
  }

  #announce() {
    const summary = this.summary();
    for (const listener of this.#listeners) {
      try {
        listener(summary);
      } catch (error) {
        this.#environment.report(error);
      }
    }
  }
}

/** @param {Shown} shown @param {number} nowMs @returns {ShownNow} */
function shownNow({ state, nextTryAtMs, reason }, nowMs) {
  return { state, nextTryMs: nextTryAtMs === null ? null : Math.max(0, nextTryAtMs - nowMs), reason };
}

export { replyMs } from "./timings.js";
export { browserEnvironment, CommandError, CommandHandle, StreamHandle };
