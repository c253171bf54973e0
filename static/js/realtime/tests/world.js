/**
 * A world around one page: two clocks, a network that may fail in many ways, a server that keeps the
 * protocol, and a page whose handlers may throw. It carries out the machine's effects and checks the
 * invariants at every step; a schedule is a list of small actions on it.
 */

import assert from "node:assert/strict";

import { backoffMs } from "../backoff.js";
import { isTerminal } from "../close_codes.js";
import { createLink, stepLink } from "../link.js";
import { DEFAULT_TIMINGS } from "../timings.js";
import { Server } from "./world_server.js";

export const STREAMS = ["news", "list", "item", "trial", "clock"];
const OWN_DOUBTS = new Set(["probe-timeout", "report-timeout", "slept"]);

export class World {
  constructor({ seed, latencyMs, visible = true }) {
    this.mono = 50_000;
    this.wall = 1_790_000_000_000;
    this.seed = seed;
    this.latencyMs = latencyMs;
    this.network = { in: true, out: true, connect: "ok" };
    this.server = new Server(this);
    this.events = []; // {at, run}: what the network and the event loop still have to bring
    this.armedAt = null;
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
    this.throttled = false;
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
    this.checkStep(before, link);
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

  arm(inMs) {
    this.armedAt = inMs === Infinity ? null : this.mono + inMs;
  }

  /** Timers of hidden pages may run once a minute only. */
  get timerAt() {
    const throttled = this.throttled && !this.link.page.visible && this.armedAt !== null;
    return throttled ? Math.ceil(this.armedAt / 60_000) * 60_000 : this.armedAt;
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

  // --- time -----------------------------------------------------------------------------------

  /** Time that really passed awake, whatever the clocks say. */
  trueNow = 0;
  wokeAt = -Infinity;

  move(ms) {
    this.mono += ms;
    this.wall += ms;
    this.trueNow += ms;
  }

  later(ms, run, far = false) {
    this.events.push({ at: this.mono + ms, run, far });
  }

  /** Time passes; the network and the timer do their work in time. */
  pass(ms) {
    const end = this.mono + ms;
    for (;;) {
      const next = this.nextEvent();
      const at = Math.min(next?.at ?? Infinity, this.timerAt ?? Infinity);
      if (at > end) break;
      this.move(Math.max(0, at - this.mono));
      if (next !== undefined && next.at <= at) this.runEvent(next);
      else this.tick();
      this.checkHonesty();
    }
    this.move(Math.max(0, end - this.mono));
  }

  /** Nothing runs for a while (a long task, a frozen tab); the timer comes first afterwards, the worst order. */
  stall(ms) {
    const end = this.mono + ms;
    for (let next = this.nextFar(end); next !== undefined; next = this.nextFar(end)) {
      this.move(Math.max(0, next.at - this.mono));
      this.runEvent(next);
    }
    this.move(end - this.mono);
    if (this.timerAt !== null && this.timerAt <= this.mono) this.tick();
    this.pass(0);
  }

  /** What happens far from the page goes on while the page stands still. */
  nextFar(end) {
    return this.events.filter((event) => event.far && event.at <= end).sort((a, b) => a.at - b.at)[0];
  }

  /** The machine sleeps. The network's frames wait; on some platforms the monotonic clock stands still. */
  sleep(ms, monotonicStops) {
    // A short sleep on a running clock cannot be told from a long task.
    if (!monotonicStops && ms <= 75_000) return this.stall(ms);
    this.wall += ms;
    if (!monotonicStops) this.mono += ms;
    if (!monotonicStops) this.trueNow += ms;
    if (ms > 60_000) this.wokeAt = this.trueNow;
    if (this.timerAt !== null && this.timerAt <= this.mono) this.tick();
    this.pass(0);
  }

  stepWall(ms) {
    this.wall += ms;
    this.clockBack ||= ms < 0;
  }

  stepMonoBack(ms) {
    this.mono -= ms;
    for (const event of this.events) event.at -= ms;
    if (this.armedAt !== null) this.armedAt -= ms;
    this.opens = this.opens.map((at) => at - ms);
    this.clockBack = true;
  }

  tick() {
    this.armedAt = null;
    this.step({ type: "tick" });
  }

  /** Turns of the event loop come after everything that is already waiting. */
  nextEvent() {
    let best;
    for (const event of this.events) {
      if (best === undefined || event.at < best.at || (event.at === best.at && best.turn && !event.turn)) best = event;
    }
    const due = best !== undefined && best.turn ? this.events.find((event) => !event.turn && event.at <= this.mono) : undefined;
    return due ?? best;
  }

  runEvent(event) {
    this.events.splice(this.events.indexOf(event), 1);
    event.run();
  }

  // --- invariants -----------------------------------------------------------------------------

  checkStep(before, link) {
    for (const stream of link.streams) {
      const old = before.streams.find((each) => each.name === stream.name);
      if (old === undefined || old === stream) continue;
      assert.ok(stream.queue.items.length <= 50, "the queue has grown over its bound");
      this.checkBackoff(old, stream);
      if (old.phase === "ended") assert.equal(stream.phase, "ended", "an ended stream has come back");
    }
    const last = this.opens.slice(-6);
    if (last.length === 6) assert.ok(last[5] - last[0] >= 1_000, "six attempts within a second");
  }

  checkBackoff(old, { name, retry, phase, causes }) {
    if (retry.failures < old.retry.failures) {
      const connection = this.sockets.get(name);
      const lived = connection.heardAt - connection.syncedAt;
      assert.ok(retry.failures <= 1 && connection.syncedAt !== null && lived >= 10_000, "back-off was reset without proven life");
    }
    const failedNow = causes !== old.causes && retry.failures === old.retry.failures + 1 && phase === "waiting" && !retry.hinted && causes.at(-1).code !== 4100;
    if (!failedNow || retry.wantsAtMs < this.link.timeline.ms) return;
    const wait = retry.wantsAtMs - this.link.timeline.ms;
    assert.ok(wait >= backoffMs(retry.failures, 0) && wait <= backoffMs(retry.failures, 1), `a wait of ${wait} ms after ${retry.failures} failures`);
  }

  /** "live" is shown only with proof younger than the silence window, and after a sleep only with fresh proof. */
  checkHonesty() {
    if (this.clockBack || this.throttled) return;
    for (const [name, page] of Object.entries(this.page)) {
      if (page.shown !== "live") continue;
      const connection = this.sockets.get(name);
      assert.ok(connection !== undefined, `${name} is shown live without a socket`);
      const age = this.trueNow - connection.heardAt;
      assert.ok(age <= DEFAULT_TIMINGS.silenceMs + 1_000, `${name} is shown live after ${age} ms of silence`);
      const sinceWaking = this.trueNow - this.wokeAt;
      assert.ok(sinceWaking <= 61_000 || connection.heardAt >= this.wokeAt, `${name} is shown live ${sinceWaking} ms after a sleep without proof`);
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
    for (const name of STREAMS) this.checkWell(name);
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

  checkWell(name) {
    const { phase } = this.stream(name);
    if (phase === "ended") return;
    assert.equal(this.page[name].shown, "live", `${name} is ${phase} and ${this.page[name].shown} after everything was well again`);
    assert.deepEqual(this.page[name].cursor, this.server.head(name), `${name} has lost something`);
    assert.equal(this.page[name].state, this.server.state(name), `${name} shows something else than a fresh page would`);
  }
}

function newPage() {
  return { cursor: {}, state: 0, ended: false, shown: "connecting", reports: new Set() };
}
