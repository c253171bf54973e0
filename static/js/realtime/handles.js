/** What a page holds in its hands: a stream, and a command that is on its way. */

/** @import { CommandSpec, Outcome, ReplyFrame } from "./types.js" */
/** @import { Effect, PageNews, StreamEvent } from "./machine_types.js" */
/** @import { Handlers, ShownNow } from "./outer_types.js" */

/** Long enough for a lunch break of the network, short enough that nobody is surprised by its effect. */
const EXPIRES_MS = 120_000;

/**
 * @typedef {object} CommandOptions
 * @property {string | null} [kind] of waiting commands of one kind only the newest is kept
 * @property {number} [expiresMs]
 * @property {boolean} [again] default true: sent again after a reconnect under its old number
 * @property {boolean} [patient] default true: `busy` with a hint is waited for, not reported
 * @property {boolean} [provesPath] default false: any frame must arrive within the reply deadline
 */

/**
 * A command failed before any answer. `code` says why: expired, replaced, lost, full, too-large,
 * ended, leaving, context.
 */
export class CommandError extends Error {
  /** @param {string} code */
  constructor(code) {
    super(`command not answered: ${code}`);
    this.code = code;
  }
}

/** A command on its way. `await` it for the reply, or listen to its outcome. */
export class CommandHandle {
  /** @type {Outcome | null} */ outcome = null;
  /** @type {((outcome: Outcome) => void)[]} */ #settled = [];
  /** @type {(() => void)[]} */ #sent = [];
  /** @type {(() => void)[]} */ #doubted = [];
  /** Whether a connection has taken it: from then on it may have had its effect, whatever becomes of that connection. */
  isSent = false;
  unconfirmed = false;

  /** @param {string} name @param {object} data */
  constructor(name, data) {
    this.name = name;
    this.data = data;
  }

  /** @param {(outcome: Outcome) => void} listener called once: `{kind:"reply", reply}` or `{kind:"failed", code}` */
  onSettled(listener) {
    if (this.outcome !== null) listener(this.outcome);
    else this.#settled.push(listener);
    return this;
  }

  /** @param {() => void} listener called when a connection has taken it */
  onSent(listener) {
    this.#sent.push(listener);
    return this;
  }

  /** @param {() => void} listener called when no reply has come for long: show "not confirmed" */
  onUnconfirmed(listener) {
    this.#doubted.push(listener);
    return this;
  }

  /**
   * @template A, [B=never]
   * @param {(reply: ReplyFrame) => A | PromiseLike<A>} resolve
   * @param {(error: CommandError) => B | PromiseLike<B>} [reject]
   * @returns {Promise<A | B>}
   */
  then(resolve, reject) {
    return new Promise((/** @type {(reply: ReplyFrame) => void} */ good, bad) => {
      this.onSettled((outcome) => {
        if (outcome.kind === "reply") good(outcome.reply);
        else bad(new CommandError(outcome.code));
      });
    }).then(resolve, reject);
  }

  /** @param {Outcome} outcome @param {(run: () => void) => void} guard */
  settle(outcome, guard) {
    if (this.outcome !== null) return;
    this.outcome = outcome;
    for (const listener of this.#settled.splice(0)) guard(() => listener(outcome));
  }

  /** @param {(run: () => void) => void} guard */
  goOut(guard) {
    this.isSent = true;
    for (const listener of this.#sent.splice(0)) guard(listener);
  }

  /** @param {(run: () => void) => void} guard */
  doubt(guard) {
    this.unconfirmed = true;
    for (const listener of this.#doubted) guard(listener);
  }
}

/** One open stream. */
export class StreamHandle {
  /** @type {Map<number, CommandHandle>} */ #commands = new Map();
  /** @type {Map<string, { produce: () => object | null, options: CommandOptions }>} */ #standing = new Map();
  /** @type {ShownNow | null} */ #shown = null;
  /** @type {Set<(shown: ShownNow) => void>} */ #watchers = new Set();
  #closed = false;

  /**
   * @param {string} name
   * @param {Handlers} handlers
   * @param {object} link
   * @param {(event: StreamEvent) => void} link.dispatch
   * @param {(error: unknown) => void} link.report
   * @param {(owner: StreamHandle) => number} link.number a number for a command, unique in the page
   */
  constructor(name, handlers, { dispatch, report, number }) {
    this.name = name;
    this.handlers = handlers;
    this.dispatch = dispatch;
    this.report = report;
    this.number = number;
  }

  /**
   * Sends a command as soon as the connection allows.
   * @param {string} name
   * @param {object} data
   * @param {CommandOptions} [options]
   * @returns {CommandHandle}
   */
  command(name, data, options = {}) {
    return this.#send(name, data, options, false);
  }

  /**
   * @param {string} name
   * @param {object} data
   * @param {CommandOptions} options
   * @param {boolean} standing
   */
  #send(name, data, options, standing) {
    const { kind = null, expiresMs = EXPIRES_MS, again = true, patient = true, provesPath = false } = options;
    const handle = new CommandHandle(name, data);
    if (this.#closed) {
      handle.settle({ kind: "failed", code: "ended" }, (run) => this.#guard(run));
      return handle;
    }
    const ref = this.number(this);
    this.#commands.set(ref, handle);
    /** @type {CommandSpec} */
    const spec = { ref, name, data, kind, expiresMs, again, patient, provesPath, standing };
    this.dispatch({ type: "command", spec });
    return handle;
  }

  /**
   * A subscription: sent after every `welcome`, with what `produce` answers then, and whenever
   * `renew` is called. Never sent again by itself: a fresh one takes its place.
   * @param {string} name
   * @param {() => object | null} produce null: nothing to say now
   * @param {CommandOptions} [options]
   */
  standing(name, produce, options = {}) {
    this.#standing.set(name, { produce, options: { kind: name, again: false, ...options } });
    return this;
  }

  /** @param {string} name @returns {CommandHandle | null} */
  renew(name) {
    const entry = this.#standing.get(name);
    const data = entry?.produce() ?? null;
    return entry === undefined || data === null ? null : this.#send(name, data, entry.options, true);
  }

  /** Ends the stream for this page. */
  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.dispatch({ type: "stop" });
  }

  /** @param {Extract<Effect, { type: "deliver" }>} effect throws what the page's handler throws */
  deliver({ frame }) {
    if (frame.type === "snapshot") this.handlers.onSnapshot?.(frame.data);
    else this.handlers.onEvent?.(frame);
  }

  /** @param {ShownNow} shown */
  show(shown) {
    this.#shown = shown;
    for (const watcher of this.#watchers) this.#guard(() => watcher(shown));
    this.handlers.onState?.(shown);
  }

  /**
   * For as many parts of a page as like: what a person may see of this stream.
   * @param {(shown: ShownNow) => void} watcher called at once if it is known, and with every change
   * @returns {() => void} ends it
   */
  watch(watcher) {
    this.#watchers.add(watcher);
    if (this.#shown !== null) watcher(this.#shown);
    return () => this.#watchers.delete(watcher);
  }

  /** @param {Effect} effect of this stream, other than a delivery */
  tell(effect) {
    const { handlers } = this;
    switch (effect.type) {
      case "settle": return this.#settle(effect.ref, effect.outcome);
      case "sent": return this.#commands.get(effect.ref)?.goOut((run) => this.#guard(run));
      case "unconfirmed": return this.#commands.get(effect.ref)?.doubt((run) => this.#guard(run));
      case "renew": return [...this.#standing.keys()].forEach((name) => this.#guard(() => this.renew(name)));
      case "pass": return handlers.onMessage?.(effect.frame);
      case "synced": return handlers.onSynced?.();
      case "down": return handlers.onDown?.({ cause: effect.cause, code: effect.code });
      case "page": return handlers.onPage?.(/** @type {PageNews} */ (effect.what));
      default: return undefined;
    }
  }

  /** @param {number} ref @param {Outcome} outcome */
  #settle(ref, outcome) {
    const handle = this.#commands.get(ref);
    this.#commands.delete(ref);
    if (handle === undefined) return;
    handle.settle(outcome, (run) => this.#guard(run));
    if (outcome.kind === "reply") this.handlers.onReply?.(outcome.reply, { name: handle.name, data: handle.data });
  }

  /** @param {() => unknown} run */
  #guard(run) {
    try {
      run();
    } catch (error) {
      this.report(error);
    }
  }
}
