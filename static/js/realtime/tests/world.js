/**
 * A world around one page: two clocks, a network that may fail in many ways, a server that keeps the
 * protocol, and a page whose handlers may throw. It carries out the machine's effects and checks the
 * invariants at every step; a schedule is a list of small actions on it.
 */

import assert from "node:assert/strict";

import { isTerminal } from "../close_codes.js";
import { createLink, stepLink } from "../link.js";
import { DEFAULT_TIMINGS } from "../timings.js";
import { checkHonesty, checkStep, checkWell } from "./world_checks.js";
import { Server } from "./world_server.js";
import { WorldTime } from "./world_time.js";

export const STREAMS = ["news", "list", "item", "trial", "clock"];
const OWN_DOUBTS = new Set(["probe-timeout", "report-timeout", "slept"]);

export class World extends WorldTime {
  constructor({ seed, latencyMs, visible = true }) {
    super();
    this.seed = seed;
    this.latencyMs = latencyMs;
    this.network = { in: true, out: true, connect: "ok" };
    this.server = new Server(this);
    this.opens = [];
    this.sockets = new Map(); // current one of each stream
    this.retired = [];
    this.page = Object.fromEntries(STREAMS.map((name) => [name, newPage()]));
    this.commands = new Map();
    this.refs = 0;
    this.waiting = [];
    this.busy = false;
    this.held = { in: [], out: [] };
    this.lost = 0; // events that the network will swallow
    this.throws = 0;
    this.failSends = 0;
    this.downs = [];
    this.link = createLink({ timings: DEFAULT_TIMINGS, visible, offline: false }, this.reading());
    for (const name of STREAMS) this.openStream(name);
  }

  openStream(name) {
    this.step({ type: "open", options: {
      name, url: `/${name}`, client: "c", cursor: this.server.head(name), keepHidden: name === "news", preferred: name === "clock", mostBytes: 65_536,
    } });
    this.page[name].cursor = this.server.head(name);
  }

  reading() {
    return { monoMs: this.mono, wallMs: this.wall, random: () => this.random() };
  }

  random() {
    this.seed = (Math.imul(this.seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.seed / 4_294_967_296;
  }

  looked() {
    checkHonesty(this);
  }

  monoStepped(ms) {
    this.opens = this.opens.map((at) => at - ms);
  }

  stream(name) {
    return this.link.streams.find((stream) => stream.name === name);
  }

  // --- stepping -------------------------------------------------------------------------------

  /** As the driver does it: what arises meanwhile waits, but the outcome of a delivery goes first. */
  step(event) {
    this.waiting.push(event);
    if (this.busy) return;
    this.busy = true;
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) this.take(next);
    this.busy = false;
  }

  take(event) {
    const before = this.link;
    const [link, effects] = stepLink(this.link, event, this.reading());
    this.link = link;
    checkStep(this, before, link);
    for (const effect of effects) this.carryOut(effect);
  }

  feed(name, event) {
    this.step({ type: "stream", stream: name, event });
  }

  carryOut(effect) {
    switch (effect.type) {
      case "open": return this.open(effect);
      case "send": return this.send(effect);
      case "retire": return this.retire(effect);
      case "deliver": return this.deliver(effect);
      case "settle": return this.settle(effect);
      case "down": return this.down(effect);
      case "renew": return effect.stream === "clock" ? this.command("clock", "report") : undefined;
      case "synced": return this.synced(effect.stream);
      case "shown": return this.shown(effect);
      case "turn": return this.events.push({ at: this.mono, turn: true, run: () => this.step({ type: "turn" }) });
      case "arm": return this.arm(effect.inMs);
      default: return undefined;
    }
  }

  // --- effects --------------------------------------------------------------------------------

  open({ stream, socket }) {
    assert.ok(!this.sockets.has(stream), `two current sockets of ${stream}`);
    assert.equal(this.page[stream].ended, false, `${stream} was opened after a terminal close`);
    this.opens.push(this.mono);
    const connection = { stream, socket, healthy: true, openedAt: this.mono, heardAt: null, syncedAt: null, sent: new Set() };
    this.sockets.set(stream, connection);
    const mode = this.network.connect;
    if (mode === "throws") this.later(0, () => this.fromSocket(connection, { type: "error", socket }));
    if (mode === "refuse") this.later(this.latencyMs, () => this.fromSocket(connection, { type: "closed", socket, code: 1006 }));
    if (mode !== "ok") connection.healthy = false;
    if (mode === "ok") this.later(this.latencyMs, () => this.opened(connection));
  }

  opened(connection) {
    this.server.connect(connection);
    this.fromSocket(connection, { type: "opened", socket: connection.socket });
  }

  send({ stream, socket, text }) {
    const connection = this.sockets.get(stream);
    assert.equal(connection?.socket, socket, "a retired socket has sent something");
    this.checkCommand(connection, text);
    if (this.failSends > 0) {
      this.failSends -= 1;
      connection.healthy = false;
      return this.feed(stream, { type: "send-error", socket });
    }
    this.carry(connection, "out", () => this.server.take(connection, text));
  }

  /**
   * From the server to the page: one frame, or the close. Live events may be lost on the way; the
   * cursor of `synced` covers replay, so a loss there could not be told from what was left out.
   */
  bring(connection, event) {
    if (this.lost > 0 && connection.live && event.text?.startsWith('{"type":"event"')) this.lost -= 1;
    else this.carry(connection, "in", () => this.fromSocket(connection, { ...event, socket: connection.socket }));
  }

  /** A path that carries nothing keeps what it was given, as TCP does, until it carries again. */
  carry(connection, way, run) {
    if (this.network[way]) return this.later(this.latencyMs, run, way === "out");
    connection.healthy = false;
    this.held[way].push(run);
  }

  setNetwork({ in: inbound, out, connect }) {
    this.network = { in: inbound, out, connect };
    for (const way of ["in", "out"]) {
      if (this.network[way]) for (const run of this.held[way].splice(0)) this.later(this.latencyMs, run, way === "out");
    }
  }

  fromSocket(connection, event) {
    const current = this.sockets.get(connection.stream) === connection;
    if (current && event.type === "text") connection.heardAt = this.trueNow;
    if (current) this.feed(connection.stream, event);
    else this.ghost(connection.stream, event);
  }

  /** Something arrives in the name of a retired socket: nothing may change that a look would not change. */
  ghost(name, event) {
    this.tick();
    const before = this.stream(name);
    this.feed(name, event);
    assert.equal(this.stream(name), before, "a retired socket has had an effect");
  }

  retire({ stream, socket }) {
    const connection = this.sockets.get(stream);
    assert.equal(connection?.socket, socket, "retired twice");
    this.sockets.delete(stream);
    this.retired.push(connection);
    this.server.gone(connection);
  }

  deliver({ stream, socket, frame }) {
    const page = this.page[stream];
    const ok = this.throws === 0;
    if (!ok) this.throws -= 1;
    if (ok && frame.type === "snapshot") Object.assign(page, { cursor: frame.cursor, state: frame.data });
    if (ok && frame.type === "event") this.applyEvent(page, frame);
    this.waiting.unshift({ type: "stream", stream, event: { type: "handled", socket, ok } });
  }

  applyEvent(page, frame) {
    const mark = page.cursor[frame.topic];
    assert.ok(frame.seq > mark.seq, "an event was applied twice");
    assert.ok(frame.after <= mark.seq, "an event was applied over a gap");
    page.cursor = { ...page.cursor, [frame.topic]: { ...mark, seq: frame.seq } };
    page.state = frame.data;
  }

  settle({ stream, ref }) {
    const command = this.commands.get(ref);
    assert.equal(command.settled, false, "a command was settled twice");
    assert.equal(command.stream, stream);
    command.settled = true;
  }

  down({ stream, cause, code }) {
    const connection = this.retired.findLast((each) => each.stream === stream);
    this.downs.push({ stream, cause, code, at: this.mono });
    const killed = OWN_DOUBTS.has(cause) && code === null;
    assert.ok(!(killed && connection.healthy), `a healthy connection of ${stream} was killed: ${cause}`);
    const page = this.page[stream];
    if (code !== null && isTerminal(code)) page.ended = true;
  }

  synced(stream) {
    this.sockets.get(stream).syncedAt = this.trueNow;
  }

  shown({ stream, shown }) {
    this.page[stream].shown = shown.state;
  }

  // --- commands -------------------------------------------------------------------------------

  command(name, kind = "note") {
    const ref = ++this.refs;
    this.commands.set(ref, { stream: name, settled: false });
    const report = kind === "report";
    const spec = { ref, name: kind, data: { ref }, kind: report ? kind : null, expiresMs: 90_000, again: !report, patient: true, provesPath: report };
    this.feed(name, { type: "command", spec });
  }

  /** What is not to be sent again goes out once; the rest once a socket. */
  checkCommand(connection, text) {
    if (!text.startsWith('{"type":"command"')) return;
    const { client_seq: seq, name } = JSON.parse(text);
    assert.ok(this.server.wasBusy || !connection.sent.has(seq), "a command was sent twice on one socket");
    connection.sent.add(seq);
    if (name === "report") {
      assert.ok(!this.page[connection.stream].reports.has(seq), "a report was sent again");
      this.page[connection.stream].reports.add(seq);
    }
  }

  /** Everything heals; nobody reloads; every stream that was not ended is live and has everything. */
  heal() {
    this.setNetwork({ in: true, out: true, connect: "ok" });
    this.throws = this.failSends = this.lost = 0;
    this.throttled = false;
    this.server.heal();
    for (const what of ["online", "pageshow", "visible"]) this.step({ type: "page", what });
    for (const name of STREAMS) this.server.post(name);
    this.passUntil(DEFAULT_TIMINGS.silenceMs + DEFAULT_TIMINGS.probeMs + 30_000, () => STREAMS.every((name) => this.isWell(name)));
    for (const name of STREAMS) this.server.post(name);
    this.pass(this.latencyMs);
    this.passUntil(30_000, () => STREAMS.every((name) => this.isWell(name)));
    for (const name of STREAMS) checkWell(this, name);
    this.passUntil(120_000, () => [...this.commands.values()].every((command) => command.settled));
    for (const command of this.commands.values()) assert.ok(command.settled, "a command was left without an outcome");
  }

  /** Stops early, so that a schedule costs no more than it needs. */
  passUntil(ms, reached) {
    for (let passed = 0; passed < ms && !reached(); passed += 2_000) this.pass(2_000);
  }

  isWell(name) {
    return this.stream(name).phase === "ended" || this.page[name].shown === "live" && this.page[name].state === this.server.state(name);
  }
}

function newPage() {
  return { cursor: {}, state: 0, ended: false, shown: "connecting", reports: new Set() };
}
