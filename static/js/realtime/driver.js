/**
 * The thin shell around the machine: feeds it what happens, carries out what it answers. It decides
 * nothing. Sockets, timers, clocks and page events are given to it.
 */

/** @import { Reading } from "./types.js" */
/** @import { Effect, LinkEvent, LinkState, PageEventName, StreamEvent } from "./machine_types.js" */
/** @import { Connection, Environment, Transport } from "./outer_types.js" */

import { isWelcome } from "./frames.js";

/** Longer timers overflow to zero in browsers; the machine arms again when one fires early. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** A step that has thrown is followed by another look after this time. */
const AFTER_FAULT_MS = 1_000;

/**
 * @typedef {object} Hooks the page's side; none of them may stop the driver by throwing
 * @property {(effect: Extract<Effect, { type: "deliver" }>) => void} deliver throws if the page cannot take it in
 * @property {(effect: Effect) => void} tell everything else that a page may want to know
 */

export class Driver {
  /** @type {LinkState} */ #state;
  /** @type {LinkEvent[]} */ #events = [];
  /** @type {Map<string, { socket: number, connection: Connection }>} */ #current = new Map();
  /** @type {unknown} */ #timer = null;
  /** @type {Connection | null} */ #trial = null;
  #busy = false;

  /**
   * @param {(state: LinkState, event: LinkEvent, reading: Reading) => [LinkState, Effect[]]} step
   * @param {LinkState} state
   * @param {Environment} environment
   * @param {Hooks} hooks
   */
  constructor(step, state, environment, hooks) {
    this.step = step;
    this.#state = state;
    this.environment = environment;
    this.hooks = hooks;
  }

  /** @returns {LinkState} */
  get state() {
    return this.#state;
  }

  /**
   * Events that arise while another is worked off wait for their turn, in order.
   * @param {LinkEvent} event
   */
  dispatch(event) {
    this.#events.push(event);
    if (this.#busy) return;
    this.#busy = true;
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) this.#take(next);
    } finally {
      this.#busy = false;
    }
  }

  /** @param {PageEventName} what leaving has two halves: last words, then the sockets */
  pageEvent(what) {
    this.dispatch({ type: "page", what });
    if (what === "leaving") this.dispatch({ type: "page", what: "left" });
  }

  /**
   * @param {string} stream
   * @returns {number | null} of the current socket, as of WebSocket
   */
  readyState(stream) {
    return this.#current.get(stream)?.connection.readyState() ?? null;
  }

  /** @param {LinkEvent} event */
  #take(event) {
    for (const effect of this.#advance(event)) this.#guard(() => this.#carryOut(effect));
  }

  /**
   * Should a step ever throw, what was shown must not stay on the screen as if somebody looked after it.
   * @param {LinkEvent} event
   * @returns {Effect[]}
   */
  #advance(event) {
    try {
      const [state, effects] = this.step(this.#state, event, this.environment.read());
      this.#state = state;
      return effects;
    } catch (error) {
      this.environment.report(error);
      return [{ type: "arm", inMs: AFTER_FAULT_MS }];
    }
  }

  /** @param {Effect} effect */
  #carryOut(effect) {
    switch (effect.type) {
      case "open": return this.#open(effect);
      case "send": return this.#send(effect);
      case "retire": return this.#retire(effect);
      case "deliver": return this.#deliver(effect);
      case "arm": return this.#arm(effect.inMs);
      case "trial": return this.#startTrial(effect);
      case "trial-end": return this.#endTrial();
      case "reach": return this.#reach(effect);
      case "turn": return this.environment.turn(() => this.dispatch({ type: "turn" }));
      default: return this.hooks.tell(effect);
    }
  }

  /** @param {Extract<Effect, { type: "open" }>} effect */
  #open({ stream, socket, url, carrier }) {
    const tell = (/** @type {StreamEvent} */ event) => this.dispatch({ type: "stream", stream, event });
    try {
      const connection = this.#transport(carrier).open(url, {
        onOpen: () => tell({ type: "opened", socket }),
        onText: (text) => tell({ type: "text", socket, text }),
        onBeside: (text) => tell({ type: "beside", socket, text }),
        onBinary: () => tell({ type: "binary", socket }),
        onClose: (code) => tell({ type: "closed", socket, code }),
        onError: () => tell({ type: "error", socket }),
      });
      this.#current.set(stream, { socket, connection });
    } catch (error) {
      this.environment.report(error);
      tell({ type: "error", socket });
    }
  }

  /** @param {string} carrier @returns {Transport} */
  #transport(carrier) {
    return (carrier === "events" ? this.environment.fallback : null) ?? this.environment.transport;
  }

  /** @param {Extract<Effect, { type: "reach" }>} effect */
  #reach({ number, withinMs }) {
    this.environment.fallback?.reach(withinMs, (ok) => this.dispatch({ type: "reached", number, ok }));
  }

  /** A WebSocket for a question alone: does one reach `welcome`? @param {Extract<Effect, { type: "trial" }>} effect */
  #startTrial({ number, url, text }) {
    const tell = (/** @type {boolean} */ ok) => this.dispatch({ type: "trial", number, ok });
    try {
      const connection = this.environment.transport.open(url, {
        onOpen: () => connection.send(text),
        onText: (answer) => answer !== "ping" && tell(isWelcome(answer)),
        onBeside: () => tell(false),
        onBinary: () => tell(false),
        onClose: () => tell(false),
        onError: () => tell(false),
      });
      this.#trial = connection;
    } catch {
      tell(false);
    }
  }

  #endTrial() {
    this.#trial?.retire();
    this.#trial = null;
  }

  /** @param {Extract<Effect, { type: "send" }>} effect */
  #send({ stream, socket, text }) {
    const current = this.#current.get(stream);
    if (current?.socket !== socket) return;
    try {
      current.connection.send(text);
    } catch {
      this.dispatch({ type: "stream", stream, event: { type: "send-error", socket } });
    }
  }

  /** @param {Extract<Effect, { type: "retire" }>} effect */
  #retire({ stream, socket, parting }) {
    const current = this.#current.get(stream);
    if (current?.socket !== socket) return;
    this.#current.delete(stream);
    current.connection.retire(parting);
  }

  /** The outcome goes before whatever has come up meanwhile. @param {Extract<Effect, { type: "deliver" }>} effect */
  #deliver(effect) {
    let ok = true;
    try {
      this.hooks.deliver(effect);
    } catch (error) {
      ok = false;
      this.environment.report(error);
    }
    const { stream, socket } = effect;
    this.#events.unshift({ type: "stream", stream, event: { type: "handled", socket, ok } });
  }

  /** @param {number} inMs */
  #arm(inMs) {
    if (this.#timer !== null) this.environment.clearTimer(this.#timer);
    this.#timer = null;
    if (inMs === Infinity) return;
    this.#timer = this.environment.setTimer(() => {
      this.#timer = null;
      this.dispatch({ type: "tick" });
    }, Math.min(Math.ceil(inMs), LONGEST_TIMER_MS));
  }

  /** @param {() => void} run */
  #guard(run) {
    try {
      run();
    } catch (error) {
      this.environment.report(error);
    }
  }
}
