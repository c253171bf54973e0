/**
 * The network of the property tests: connections that open, hang, are refused or cut, a path that may
 * carry nothing in either direction, and events that arrive in the name of sockets long retired.
 * `server`, `page`, `failure`, `stream`, `guarded`, `dispatch` and `checkCommand` are the world's.
 */

import { hold, MUST } from "./world_checks.js";
import { WorldTime } from "./world_time.js";

/** Thrown on purpose by callbacks, sockets and constructors of this world. */
export const PLANNED = new Error("on purpose");

export class WorldNetwork extends WorldTime {
  network = { in: true, out: true, connect: "ok" };
  held = { in: [], out: [] };
  lost = 0; // live events that the network will swallow
  failSends = 0; // sends that throw
  tellThrows = 0; // closes, and callbacks that only tell, that throw
  acts = 0; // what the machine has done to sockets
  opens = [];
  retired = [];
  upgrades = "ok"; // what becomes of WebSockets alone: as `network.connect`
  reachedAt = null; // when a plain request was last answered, if no WebSocket has passed since
  asked = null; // the WebSocket that only asks whether one passes
  attempt = null; // the connection whose handshake is under way

  constructor(latencyMs, names) {
    super();
    this.latencyMs = latencyMs;
    this.current = Object.fromEntries(names.map((name) => [name, null]));
  }

  monoStepped(ms) {
    this.opens = this.opens.map((at) => at - ms);
  }

  // --- sockets --------------------------------------------------------------------------------

  open(stream, handlers) {
    if (this.link.route.trial !== null && this.current[stream] !== null) return this.ask(handlers);
    this.acts += 1;
    const { opens } = this;
    hold(MUST.oneSocket, this.current[stream] === null, () => stream);
    hold(MUST.oneHandshake, this.attempt === null, () => `${stream} beside ${this.attempt.stream}`);
    hold(MUST.terminal, !this.page[stream].ended, () => `${stream} was opened again`);
    opens.push(this.mono);
    const sixth = opens.length - 6;
    if (sixth >= 0) hold(MUST.fiveAttempts, opens[sixth + 5] - opens[sixth] >= 1_000, () => String(opens.slice(sixth)));
    const connection = this.newConnection(stream, handlers);
    this.current[stream] = connection;
    const mode = this.network.connect === "ok" ? this.upgrades : this.network.connect;
    if (mode !== "ok") connection.healthy = false;
    if (mode === "throws") {
      this.current[stream] = null;
      this.retired.push(connection);
      throw PLANNED;
    }
    this.attempt = connection;
    if (mode === "refuse") this.later(this.latencyMs, () => this.happen(connection, () => handlers.onClose(1006)));
    if (mode === "ok") this.later(this.latencyMs, () => this.opened(connection));
    return connection.inHands;
  }

  /** One stream of a response: those that are opened at the same moment share it, and no handshake waits for another. */
  openEvents(stream, handlers) {
    this.acts += 1;
    const { opens } = this;
    hold(MUST.oneSocket, this.current[stream] === null, () => stream);
    hold(MUST.terminal, !this.page[stream].ended, () => `${stream} was opened again`);
    hold(MUST.oneWay, this.isVisible() && this.link.route.carrier === "events", () => stream);
    hold(MUST.oneWay, this.reachedAt !== null, () => `${stream}, and nothing says that the server is there`);
    if (opens.at(-1) !== this.mono) opens.push(this.mono);
    const connection = Object.assign(this.newConnection(stream, handlers), { byEvents: true });
    this.current[stream] = connection;
    const mode = this.network.connect;
    if (mode !== "ok") connection.healthy = false;
    this.later(0, () => this.happen(connection, () => handlers.onOpen()));
    if (mode === "ok") this.server.connect(connection);
    else if (mode !== "hang") this.later(this.latencyMs, () => this.happen(connection, () => handlers.onClose(1006)));
    return connection.inHands;
  }

  /** A plain request, which goes the way there and back. */
  reach(tell) {
    const { connect } = this.network;
    if (connect === "hang" || !this.network.in || !this.network.out) return;
    this.later(2 * this.latencyMs, () => {
      if (connect === "ok") this.reachedAt = this.trueNow;
      this.guarded(() => tell(connect === "ok"));
    });
  }

  /** A WebSocket that belongs to no stream. */
  ask(handlers) {
    hold(MUST.oneWay, this.asked === null, () => "two trials at once");
    const asked = (this.asked = {});
    const passes = this.network.connect === "ok" && this.upgrades === "ok" && this.network.in && this.network.out;
    const tell = (run) => this.later(this.latencyMs, () => this.asked === asked && this.guarded(run));
    if (passes) tell(() => handlers.onOpen());
    else if (this.upgrades === "refuse") tell(() => handlers.onClose(1006));
    const welcome = '{"type":"welcome","protocol":1,"server_time":1,"resumed":true,"timings":{}}';
    return { send: () => tell(() => handlers.onText(welcome)), retire: () => (this.asked = null), readyState: () => 1 };
  }

  newConnection(stream, handlers) {
    const connection = {
      stream, handlers, socket: this.stream(stream).sockets, healthy: true, bornAt: this.trueNow,
      heardAt: null, provenAt: null, welcomedAt: null, syncedAt: null, told: null, live: false, sent: new Set(), inHands: null,
    };
    connection.inHands = {
      send: (text) => this.witnessed(() => this.send(connection, text)), retire: () => this.retire(connection), readyState: () => 1,
    };
    return connection;
  }

  opened(connection) {
    if (this.attempt === connection) this.attempt = null;
    this.server.connect(connection);
    this.happen(connection, () => connection.handlers.onOpen());
  }

  /** The driver takes whatever a send throws for a send that failed; a check that failed is more. */
  witnessed(run) {
    try {
      run();
    } catch (error) {
      if (error !== PLANNED) this.failure ??= error;
      throw error;
    }
  }

  send(connection, text) {
    this.acts += 1;
    const { stream } = connection;
    hold(MUST.retired, this.current[stream] === connection, () => `${stream} has sent on it`);
    if (text.startsWith('{"type":"command"')) this.checkCommand(connection, JSON.parse(text));
    if (this.failSends > 0) {
      this.failSends -= 1;
      connection.healthy = false;
      throw PLANNED;
    }
    this.carry(connection, "out", () => this.server.take(connection, text));
  }

  retire(connection) {
    this.acts += 1;
    const { stream } = connection;
    hold(MUST.retired, this.current[stream] === connection, () => `${stream} was retired twice`);
    this.current[stream] = null;
    if (this.attempt === connection) this.attempt = null;
    this.retired.push(connection);
    this.server.gone(connection);
    if (this.tellThrows > 0) this.throwOnPurpose();
  }

  throwOnPurpose() {
    this.tellThrows -= 1;
    throw PLANNED;
  }

  // --- the network ----------------------------------------------------------------------------

  /** A live event may be lost on the way; the cursor of `synced` covers replay, whose loss nobody could tell. */
  bring(connection, text, losable = false) {
    if (losable && this.lost > 0) this.lost -= 1;
    else this.carry(connection, "in", () => this.arrive(connection, text));
  }

  bringClose(connection, code) {
    this.carry(connection, "in", () => this.happen(connection, () => connection.handlers.onClose(code)));
  }

  /** A path that carries nothing keeps what it was given, as TCP does, until it carries again. */
  carry(connection, way, run) {
    if (this.network[way]) return this.later(this.latencyMs, run, way === "out");
    connection.healthy = false;
    this.held[way].push(run);
    return undefined;
  }

  setNetwork(inbound, out, connect) {
    this.network = { in: inbound, out, connect };
    for (const way of ["in", "out"]) {
      if (this.network[way]) for (const run of this.held[way].splice(0)) this.later(this.latencyMs, run, way === "out");
    }
  }

  arrive(connection, text) {
    if (this.current[connection.stream] === connection) {
      connection.heardAt = this.trueNow;
      connection.provenAt = this.cameAt;
      if (text.startsWith('{"type":"welcome"')) this.welcomed(connection);
    }
    this.happen(connection, () => connection.handlers.onText(text));
  }

  welcomed(connection) {
    if (!connection.byEvents && connection.welcomedAt === null) this.reachedAt = null;
    connection.welcomedAt = this.trueNow;
  }

  /** Something happens to a socket. If it is a retired one, nothing may come of it that a look would not bring. */
  happen(connection, run) {
    const { stream } = connection;
    if (this.current[stream] === connection) return this.guarded(run);
    // A look may lead to another: after a probe that was due, a drain that is.
    for (let look = 0; look < 2; look += 1) this.dispatch({ type: "tick" });
    const before = this.stream(stream);
    const { acts } = this;
    this.guarded(run);
    hold(MUST.retired, this.stream(stream) === before && this.acts === acts, () => stream);
    return undefined;
  }
}
