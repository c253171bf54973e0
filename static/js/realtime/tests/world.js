/**
 * A world around one page: two clocks, a network that may fail in many ways, a server that keeps the
 * protocol, and a page whose callbacks may throw. The machine is run by the real driver; a schedule
 * is a list of small actions on the world (world_actions.js), what must hold stands in world_checks.js.
 */

import { Driver } from "../driver.js";
import { createLink, stepLink } from "../link.js";
import { DEFAULT_TIMINGS } from "../timings.js";
import { checkHonesty, checkStep, checkWell, endsForGood, hold, MUST, RECOVERY_MS } from "./world_checks.js";
import { Server, stateAfter } from "./world_server.js";
import { PLANNED, WorldNetwork } from "./world_network.js";

export const STREAMS = ["news", "list", "item", "trial", "clock"];
const OWN_DOUBTS = new Set(["probe-timeout", "report-timeout", "slept"]);
const TIME_COMMAND = { name: "time", data: { ref: 0 } };

export class World extends WorldNetwork {
  names = STREAMS;
  throws = 0; // snapshots and events that the page cannot take in
  failure = null;
  refs = 0;
  context = 0;
  commands = [];

  constructor({ seed, latencyMs, visible = true, twoWays = false, upgrades = "ok" }) {
    super(latencyMs, STREAMS);
    this.seed = seed;
    this.hasFallback = twoWays;
    this.upgrades = upgrades;
    this.server = new Server(this, STREAMS);
    this.page = Object.fromEntries(STREAMS.map((name) => [name, null]));
    const reading = { monoMs: 0, wallMs: 0, random: () => this.random() };
    const environment = {
      read: () => {
        reading.monoMs = this.mono;
        reading.wallMs = this.wall;
        return reading;
      },
      setTimer: (run, ms) => this.timerSet(run, ms),
      clearTimer: (timer) => this.clearTimer(timer),
      turn: (run) => this.turn(() => this.guarded(run)),
      transport: { name: "world", open: (url, handlers) => this.open(url.slice(1), handlers) },
      ...(twoWays ? { fallback: {
        name: "events", open: (url, handlers) => this.openEvents(url.slice(1), handlers), reach: (withinMs, tell) => this.reach(tell),
      } } : {}),
      report: (error) => error !== PLANNED && (this.failure ??= error),
    };
    const start = createLink({ timings: DEFAULT_TIMINGS, visible, offline: false, fallback: twoWays }, environment.read());
    this.driver = new Driver((state, event, now) => this.checkedStep(state, event, now), start, environment, {
      deliver: (effect) => this.deliver(effect),
      tell: (effect) => this.tell(effect),
    });
    for (const name of STREAMS) this.openStream(name);
    this.pass(0);
  }

  /** With what the page was rendered with, or blank: to begin with a snapshot. */
  openStream(name, blank = false) {
    const cursor = blank ? null : this.server.head(name);
    const timeCommand = name === "news" ? TIME_COMMAND : null;
    this.page[name] = { cursor: cursor ?? {}, state: blank ? null : this.server.state(name), ended: false, shown: "connecting", reports: new Set(), faults: 0 };
    this.dispatch({ type: "open", options: {
      name, url: `/${name}`, client: "c", cursor, keepHidden: name === "news", preferred: name === "clock", timeCommand,
    } });
  }

  random() {
    this.seed = (Math.imul(this.seed, 1_664_525) + 1_013_904_223) >>> 0;
    return this.seed / 4_294_967_296;
  }

  get link() {
    return this.driver.state;
  }

  stream(name) {
    return this.link.streams.find((stream) => stream.name === name);
  }

  isVisible() {
    return this.link.page.visible;
  }

  /** How long it may take until the page looks at its clocks again. */
  lookPeriodMs() {
    return this.throttled || !this.isVisible() ? 61_000 : 11_000;
  }

  looked() {
    checkHonesty(this);
  }

  // --- the driver -----------------------------------------------------------------------------

  checkedStep(state, event, now) {
    const result = stepLink(state, event, now);
    checkStep(this, event, state, result[0]);
    return result;
  }

  /** The driver reports what callbacks throw and goes on; what was not thrown on purpose ends the schedule. */
  guarded(run) {
    run();
    if (this.failure !== null) throw this.failure;
  }

  dispatch(event) {
    this.guarded(() => this.driver.dispatch(event));
  }

  timerSet(run, ms) {
    hold(MUST.oneReconnect, this.timers.length === 0, () => "two timers at once");
    return this.setTimer(() => this.guarded(run), ms);
  }

  pageEvent(what) {
    if (what === "visible") this.stoodStill(Infinity);
    this.guarded(() => this.driver.pageEvent(what));
    if (what !== "leaving") return;
    const waiting = this.commands.find((command) => command !== undefined && !command.settled);
    hold(MUST.context, waiting === undefined, () => `a command of ${waiting?.stream} outlives the page's leaving`);
  }

  // --- the page -------------------------------------------------------------------------------

  deliver({ stream, frame }) {
    const page = this.page[stream];
    if (this.throws > 0) {
      this.throws -= 1;
      page.faults += 1;
      throw PLANNED;
    }
    if (frame.type === "event") this.checkEvent(page.cursor, frame);
    const mark = page.cursor[frame.topic];
    page.cursor = frame.type === "snapshot" ? frame.cursor : { ...page.cursor, [frame.topic]: { ...mark, seq: frame.seq } };
    page.state = frame.type === "snapshot" ? frame.data : stateAfter(page.state, frame.data);
  }

  checkEvent(cursor, { topic, after, seq }) {
    const at = cursor[topic]?.seq ?? -1;
    hold(MUST.order, seq > at && after <= at, () => `${after}–${seq} at ${at}`);
  }

  tell(effect) {
    switch (effect.type) {
      case "settle": this.settle(effect); break;
      case "down": this.down(effect); break;
      case "synced": this.current[effect.stream].syncedAt = this.trueNow; break;
      case "shown": this.shown(effect); break;
      case "renew": if (effect.stream === "clock") this.command("clock", "report"); break;
      default: break;
    }
    if (this.tellThrows > 0) this.throwOnPurpose();
  }

  shown({ stream, shown }) {
    const page = this.page[stream];
    if (shown.state === "switching" && page.shown !== "switching") page.switchingAt = this.trueNow;
    page.shown = shown.state;
    if (shown.reason?.code !== "fault" || page.ended) return;
    hold(MUST.forEver, page.faults >= 3, () => `${stream} has ended as a fault after ${page.faults}`);
    page.ended = true;
  }

  down({ stream, cause, code }) {
    const connection = this.retired.findLast((each) => each.stream === stream);
    const killed = OWN_DOUBTS.has(cause) && code === null;
    hold(MUST.healthy, !(killed && connection.healthy), () => `${stream}: ${cause}`);
    if (code !== null && endsForGood(code)) this.page[stream].ended = true;
  }

  // --- commands -------------------------------------------------------------------------------

  command(stream, kind = "note") {
    const ref = ++this.refs;
    const report = kind === "report";
    this.commands[ref] = { stream, settled: false, context: this.context, again: !report, sent: false, executed: 0 };
    const spec = { ref, name: kind, data: { ref }, kind: kind === "note" ? null : kind, expiresMs: 90_000, again: !report, patient: true, provesPath: report };
    this.driver.dispatch({ type: "stream", stream, event: { type: "command", spec } });
  }

  settle({ stream, ref, outcome }) {
    if (ref === 0) return;
    const command = this.commands[ref];
    hold(MUST.outcome, !command.settled && command.stream === stream, () => `number ${ref}`);
    const lost = outcome.kind === "failed" && outcome.code === "lost";
    hold(MUST.outcome, !(lost && command.again), () => `number ${ref} was lost, and might have been sent again`);
    const replaced = outcome.kind === "failed" && outcome.code === "replaced";
    hold(MUST.outcome, !(replaced && command.again && command.sent), () => `number ${ref} was replaced, and may have been executed`);
    command.settled = true;
  }

  /** What is not to be sent again goes out once; the rest once a socket, unless the server said busy. */
  checkCommand(connection, { client_seq: seq, data: { ref } }) {
    if (ref === 0) return;
    const command = this.commands[ref];
    hold(MUST.context, !command.settled && command.context === this.context, () => `number ${ref} was sent`);
    hold(MUST.once, this.server.wasBusy || !connection.sent.has(seq), () => "sent twice on one socket");
    connection.sent.add(seq);
    command.sent = true;
    const { reports } = this.page[connection.stream];
    hold(MUST.once, command.again || !reports.has(ref), () => "a report was sent again");
    if (!command.again) reports.add(ref);
  }

  executed(name, ref) {
    if (ref === 0) return;
    const command = this.commands[ref];
    command.executed += 1;
    hold(MUST.once, command.again || command.executed === 1, () => `${name} ${ref}`);
  }

  /** The page opens a stream once more, whatever became of it. */
  reopen(name, blank) {
    this.guarded(() => this.driver.dispatch({ type: "stream", stream: name, event: { type: "stop" } }));
    this.openStream(name, blank);
  }

  changeContext() {
    this.context += 1;
    this.dispatch({ type: "context" });
  }

  // --- the end --------------------------------------------------------------------------------

  /** Everything heals; nobody reloads; every stream that was not ended is live and has everything. */
  heal(helped) {
    this.setNetwork(true, true, "ok");
    this.throws = this.tellThrows = this.failSends = this.lost = 0;
    this.throttle(false);
    this.server.heal();
    if (helped || this.link.page.left || !this.isVisible()) for (const what of ["online", "pageshow", "visible"]) this.pageEvent(what);
    for (const name of STREAMS) this.server.post(name);
    this.passUntil(RECOVERY_MS, () => STREAMS.every((name) => this.isWell(name)));
    // And once more for one of them, which is to come over a connection that lives.
    this.server.post(STREAMS[this.refs % STREAMS.length]);
    this.pass(2 * this.latencyMs);
    this.passUntil(RECOVERY_MS, () => STREAMS.every((name) => this.isWell(name)));
    for (const name of STREAMS) checkWell(this, name);
    this.passUntil(120_000, () => this.commands.every((command) => command.settled));
    for (const command of this.commands) if (command !== undefined) hold(MUST.outcome, command.settled, () => "none for some");
  }

  /** Stops early, so that a schedule costs no more than it needs. */
  passUntil(ms, reached) {
    for (let passed = 0; passed < ms && !reached(); passed += 2_000) this.pass(2_000);
  }

  isWell(name) {
    const page = this.page[name];
    return page.ended || (page.shown === "live" && page.state === this.server.state(name));
  }
}
