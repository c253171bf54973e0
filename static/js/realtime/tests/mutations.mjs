/**
 * Switches off one rule of the library after the other and asks whether the tests notice.
 * Usage: node static/js/realtime/tests/mutations.mjs [part of a rule's name] [number of the first rule]
 */

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const LIBRARY = dirname(dirname(fileURLToPath(import.meta.url)));
const PACKAGES = resolve(LIBRARY, "../../../node_modules");
const SCHEDULES = "1500";

/** Rule, module, what stands there, what stands there without the rule. */
const MUTATIONS = [
  ["a handshake has a deadline", "stream_watch.js", "attempt.doubt !== null || now.ms < attempt.byMs", "true"],
  ["silence is asked about", "liveness.js", 'if (current.probe === null) return { life: current, act: "probe" };', 'if (current.probe === null) return { life: current, act: "none" };'],
  ["a probe without an answer is death", "liveness.js", 'life.doubt === "late" ? "probe" : "dead"', '"probe"'],
  ["a late look never kills", "liveness.js", "if (overMs > now.lateAfterMs)", "if (overMs > Infinity)"],
  ["a turn passes before a kill", "stream_watch.js", 'if (act === "turn") return [next, [{ type: "turn" }]];', 'if (act === "turn") return [next, [{ type: "fail", why: { cause: "probe-timeout" } }]];'],
  ["any frame is proof of life", "stream_receive.js", "life: stream.life === null ? null : heard(now)", "life: stream.life"],
  ["ping is answered", "stream_receive.js", 'case "ping": return [stream, [{ type: "send", socket, text: "pong" }]];', 'case "ping": return [stream, []];'],
  ["a retired socket can do nothing", "stream.js", 'if ("socket" in event && event.socket !== stream.socket) return [stream, []];', ""],
  ["the retired socket is closed", "stream_fail.js", '{ type: "retire", socket: stream.socket },', ""],
  ["terminal codes end", "close_codes.js", "return TERMINAL_STANDARD.has(code) || (code >= 4000 && code <= 4099);", "return false;"],
  ["every other code reconnects", "close_codes.js", "code >= 4000 && code <= 4099", "code >= 4000 && code <= 4199"],
  ["an end frame ends", "stream_receive.js", '{ cause: "close", ending: { code: frame.code, message: frame.message ?? "" } }', '{ cause: "close" }'],
  ["chance comes after the cap", "backoff.js", "return capped * (1 + 0.5 * (2 * chance - 1));", "return Math.min(FIRST_MS * 2 ** (failures - 1) * (1 + 0.5 * (2 * chance - 1)), CAP_MS);"],
  ["back-off is forgotten after proven life only", "stream_life.js", "stream.life.heardMs - stream.syncedMs >= PROVEN_LIFE_MS", "true"],
  ["a hint replaces the back-off", "stream_fail.js", "const hint = free ? null : (why.hintMs ?? drainHint(stream, now));", "const hint = null;"],
  ["a gap is noticed", "cursor.js", 'return event.after > mark.seq ? "gap" : "apply";', 'return "apply";'],
  ["a duplicate is dropped", "cursor.js", 'if (event.seq <= mark.seq) return "duplicate";', ""],
  ["an event that throws does not move the cursor", "stream_receive.js", "if (!ok) return fault(done, delivery.key);", ""],
  ["the second failure asks for a snapshot", "stream_fail.js", "why.fault !== undefined && fault?.count === 2", "false"],
  ["the third failure ends", "stream_fail.js", "const MOST_FAULTS = 3;", "const MOST_FAULTS = 300;"],
  ["no deadline while an event is in the page's hands", "link.js", "stream.delivery === null && isDue", "isDue"],
  ["the outcome of a delivery goes first", "driver.js", "this.#events.unshift(", "this.#events.push("],
  ["credit is given back by count", "stream_seen.js", "const MOST_FRAMES = 32;", "const MOST_FRAMES = 1e9;"],
  ["credit is given back by time", "stream_seen.js", "(dueMs !== null && dueMs <= now.ms)", "false"],
  ["trouble of one makes all probe", "stream_fail.js", 'if (EVIDENCE.has(why.cause) && why.late !== true) effects.push({ type: "suspect" });', ""],
  ["a report is followed by a ping", "stream_commands.js", "sent.some((item) => item.provesPath)", "false"],
  ["only the scout tries at first", "link_schedule.js", "proven ? waiting : waiting.filter((each) => each.retry.planned)", "waiting"],
  ["the scout's handshake is shorter", "timings.js", "timings.handshakeMs / 2", "timings.handshakeMs"],
  ["followers are spread", "link_route.js", "const FOLLOW_MS = 300;", "const FOLLOW_MS = 0;"],
  ["the scout's role passes on", "link_schedule.js", "stream.retry.misses * 2", "0"],
  ["the circuit opens", "breaker.js", "outcomes.length >= LEAST_OUTCOMES && bad * 2 >= outcomes.length", "false"],
  ["hinted closes do not count", "stream_fail.js", "(why.hintMs ?? null) === null && ", ""],
  ["a person may try at once", "breaker.js", "return { ...breaker, permit: true };", "return breaker;"],
  ["five attempts a second", "link_schedule.js", "const MOST_ATTEMPTS = 5;", "const MOST_ATTEMPTS = 50;"],
  ["online skips the wait", "link_page.js", 'case "online": return { ...step({ ...page, offline: false }, what), hurry: true };', 'case "online": return step({ ...page, offline: false }, what);'],
  ["an old handshake is not waited for", "stream_connect.js", "const FRESH_ATTEMPT_MS = 1_000;", "const FRESH_ATTEMPT_MS = 1e9;"],
  ["a page event does not shorten the probe after a sleep", "stream_watch.js", 'if (life.probe?.cause === "slept" && !evidence) return [stream, []];', ""],
  ["sleep is noticed", "timeline.js", "const slept = missedMs > lateAfterMs;", "const slept = false;"],
  ["a wall clock set back restarts the window", "liveness.js", "if (!now.back && now.wallMs >= life.sinceWallMs) return life;", "if (!now.back) return life;"],
  ["time does not go back", "timeline.js", "const passed = Math.max(0, monoDelta);", "const passed = monoDelta;"],
  ["hidden pages put streams aside", "link_page.js", "if (hiddenAtMs(link) > now.ms) return [];", "return [];"],
  ["last words come before the sockets are closed", "driver.js", 'this.dispatch({ type: "page", what });\n    if (what === "leaving") this.dispatch({ type: "page", what: "left" });', 'if (what === "leaving") this.dispatch({ type: "page", what: "left" });\n    this.dispatch({ type: "page", what });'],
  ["nothing is rescheduled after leaving", "link.js", "if (link.page.left) return;", ""],
  ["a page that stayed comes back", "link_page.js", 'page.left ? back(page, "pageshow") : step(page, null)', "step(page, null)"],
  ["a drain is followed", "stream_watch.js", "if (drain === null || socket === null) return [stream, []];", "return [stream, []];"],
  ["a token is used once", "stream_connect.js", 'token: null, retry: { ...retry, tries', "retry: { ...retry, tries"],
  ["an old token is not used", "stream_connect.js", "token !== null && token.untilMs > now.ms ?", "token !== null ?"],
  ["closed for slowness: at once after ten seconds", "stream_fail.js", "why.code === CloseCode.SLOW && hasLived(stream)", "false"],
  ["the queue is bounded", "queue.js", "export const MOST_ITEMS = 50;", "export const MOST_ITEMS = 5000;"],
  ["what creates something is sent again", "queue.js", "item.sentMs !== null && !item.again);", "item.sentMs !== null);"],
  ["a report is never sent again", "queue.js", "const gone = queue.items.filter((item) => item.sentMs !== null && !item.again);", "const gone = [];"],
  ["the newest of a kind is kept", "queue.js", "return spec.kind !== null && item.kind === spec.kind &&", "return false &&"],
  ["the queue ends with its owner", "stream_fail.js", 'return why.park === "left" ? clear(stream.queue, "leaving") : disconnected(stream.queue);', "return disconnected(stream.queue);"],
  ["waiting commands go out before subscriptions", "stream_receive.js", '{ type: "flush" }, { type: "renew" }', '{ type: "renew" }, { type: "flush" }'],
  ["clocks that part are thrown away", "clock.js", "return parted ? unsetClock() : clock;", "return clock;"],
  ["the shortest round trip counts", "clock.js", "least(recent, (each) => each.tripMs)", "recent[recent.length - 1]"],
  ["held time is taken off", "clock.js", "now.ms - sentMs - heldMs", "now.ms - sentMs"],
  ["timers are split at 24.8 days", "driver.js", "Math.min(Math.ceil(inMs), LONGEST_TIMER_MS)", "Math.ceil(inMs)"],
  ["a callback that throws stops nothing", "driver.js", "for (const effect of this.#advance(event)) this.#guard(() => this.#carryOut(effect));", "for (const effect of this.#advance(event)) this.#carryOut(effect);"],
  ["live is shown with proof only", "liveness.js", 'if (phase !== "live" || life === null || life.doubt !== null) return false;', 'if (phase !== "live" || life === null) return false; if (life.doubt !== null) return true;'],
];

/** A mutant that hangs is noticed, too, but on a busy machine look twice. */
function outcomeOf([, module, from, to]) {
  const folder = mkdtempSync(join(tmpdir(), "mutation-"));
  try {
    const copy = join(folder, "realtime");
    cpSync(LIBRARY, copy, { recursive: true });
    symlinkSync(PACKAGES, join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    const file = join(copy, module);
    const source = readFileSync(file, "utf8");
    if (source.split(from).length !== 2) throw new Error(`${module} does not hold this exactly once: ${from}`);
    writeFileSync(file, source.replace(from, () => to));
    const tests = readdirSync(join(copy, "tests")).filter((name) => name.endsWith(".test.js")).map((name) => join(copy, "tests", name));
    const { status } = spawnSync("node", ["--test", ...tests], { env: { ...process.env, FATHOM_SCHEDULES: SCHEDULES }, timeout: 60_000 });
    return { 0: "SURVIVED", null: "hung    " }[status] ?? "noticed ";
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [, , words = "", first = "0"] = process.argv;
const chosen = MUTATIONS.slice(Number(first)).filter(([rule]) => rule.includes(words));
const survivors = [];
for (const mutation of chosen) {
  const outcome = outcomeOf(mutation);
  if (outcome === "SURVIVED") survivors.push(mutation[0]);
  process.stdout.write(`${outcome} without: ${mutation[0]}\n`);
}
process.stdout.write(`${chosen.length - survivors.length} of ${chosen.length} noticed\n`);
process.exitCode = survivors.length === 0 ? 0 : 1;
