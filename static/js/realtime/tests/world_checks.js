/**
 * What must hold in the world of the property tests, by name. Each is looked at while a schedule
 * runs; how often is counted, so that none can be passed by because nothing ever came to it.
 */

import assert from "node:assert/strict";

import { DEFAULT_TIMINGS } from "../timings.js";

/** @param {string} name */
const invariant = (name) => ({ name, looked: 0 });

/** The invariants, with how often each was looked at. */
export const MUST = Object.freeze({
  oneSocket: invariant("never two current sockets"),
  oneHandshake: invariant("one handshake at a time"),
  oneWay: invariant("the fallback is taken by visible pages only, and asked beside once at a time"),
  fiveAttempts: invariant("at most five attempts a second"),
  oneReconnect: invariant("never two pending reconnects"),
  retired: invariant("a retired socket has no effect"),
  blindness: invariant("blindness is bounded"),
  proof: invariant("live is shown only with proof"),
  brief: invariant("a switch is soon over or called a loss"),
  healthy: invariant("a healthy connection is not killed"),
  terminal: invariant("terminal codes end"),
  forEver: invariant("all others reconnect for ever"),
  backoff: invariant("back-off stays in its bounds"),
  reset: invariant("back-off is reset by proven life only"),
  bounded: invariant("the queue is bounded"),
  context: invariant("the queue belongs to its context"),
  once: invariant("nothing is executed twice"),
  outcome: invariant("every command has one outcome"),
  order: invariant("no event is applied twice or over a gap"),
  lossless: invariant("nothing is lost"),
  rest: invariant("a page does not spin"),
});

const { silenceMs, probeMs, handshakeMs } = DEFAULT_TIMINGS;
/** The longest that a page waits by its own will: an open circuit, with its jitter, and the back-off after it. */
const LONGEST_PAUSE_MS = 36_000 + 7_500;
/** Said here once more, too. */
const SWITCH_MS = 2_000;
/** Timers of hidden pages run once a minute. */
const MINUTE_MS = 60_000;

/**
 * @param {{ name: string, looked: number }} must
 * @param {boolean} holds
 * @param {() => string} detail
 */
export function hold(must, holds, detail) {
  must.looked += 1;
  if (!holds) assert.fail(`${must.name}: ${detail()}`);
}

/** As the protocol has it, said here once more so that the library is not its own judge. @param {number} code */
export function endsForGood(code) {
  return [1002, 1003, 1007, 1008, 1009].includes(code) || (code >= 4000 && code <= 4099);
}

/** Everything that one step of the machine may and may not do. */
export function checkStep(world, event, before, link) {
  const opened = event.type === "open" ? event.options.name : null;
  // Another way waits for nothing.
  const cameOver = before.route.carrier !== link.route.carrier;
  for (let index = 0; index < link.streams.length; index += 1) {
    const stream = link.streams[index];
    const old = before.streams[index];
    if (old === stream || old === undefined || old.name !== stream.name || stream.name === opened) continue;
    if (old.queue !== stream.queue) hold(MUST.bounded, stream.queue.items.length <= 50, () => `${stream.queue.items.length} items`);
    hold(MUST.oneReconnect, (stream.phase === "waiting") <= (stream.socket === null), () => `${stream.name} waits beside its socket`);
    if (old.phase === "ended") hold(MUST.terminal, stream.phase === "ended", () => `${stream.name} has come back by itself`);
    if (old.retry !== stream.retry && !cameOver) checkBackoff(world, old, stream, link.timeline.ms);
  }
}

function checkBackoff(world, old, { name, retry, phase, causes }, nowMs) {
  if (retry.failures < old.retry.failures) {
    const { syncedAt, heardAt } = world.current[name];
    const lived = syncedAt !== null && heardAt - syncedAt >= 10_000;
    hold(MUST.reset, lived && retry.failures <= 1, () => `${name} after ${heardAt - syncedAt} ms`);
  }
  const failed = causes !== old.causes && retry.failures === old.retry.failures + 1 && phase === "waiting";
  if (!failed || retry.hinted || causes.at(-1).code === 4100) return;
  const wait = retry.wantsAtMs - nowMs;
  const middle = Math.min(300 * 2 ** (retry.failures - 1), 5_000);
  const inBounds = wait >= middle / 2 - 1e-6 && wait <= middle * 1.5 + 1e-6;
  hold(MUST.backoff, inBounds, () => `a wait of ${wait} ms after ${retry.failures} failures`);
}

/** Looked at whenever something has happened on the page. */
export function checkHonesty(world) {
  for (const name of world.names) {
    const connection = world.current[name];
    const page = world.page[name];
    if (page.shown === "live") checkProof(world, name, connection);
    if (page.shown === "switching") checkSwitch(world, name, page);
    if (connection !== null) checkBlindness(world, name, connection);
  }
}

/** "live" is shown only with proof younger than the silence window, and after a sleep only with fresh proof. */
function checkProof(world, name, connection) {
  hold(MUST.proof, connection !== null && connection.heardAt !== null, () => `${name} without a socket`);
  const noticedMs = world.lookPeriodMs();
  const restarted = Math.max(connection.heardAt, world.backAt + noticedMs);
  const age = world.trueNow - restarted;
  hold(MUST.proof, age <= silenceMs + noticedMs, () => `${name} after ${age} ms of silence`);
  const awakeMs = world.trueNow - world.wokeAt;
  // A wall clock that was set back at the same time hides the sleep from everybody.
  const hidden = world.backAt >= world.wokeAt - 2 * MINUTE_MS;
  const proven = hidden || awakeMs <= MINUTE_MS + 1_000 || (connection.heardAt >= world.wokeAt && connection.provenAt >= world.surelyWokeAt);
  hold(MUST.proof, proven, () => `${name} ${awakeMs} ms after a sleep without any`);
}

/** A planned change of node is called so for two seconds, however it goes on. */
function checkSwitch(world, name, { switchingAt }) {
  const age = world.trueNow - Math.max(switchingAt, world.wokeAt, world.backAt, world.lateAt);
  hold(MUST.brief, age <= SWITCH_MS + world.lookPeriodMs(), () => `${name} has been switching for ${age} ms`);
}

/** A connection that carries nothing any more, and a handshake that hangs, are given up. */
function checkBlindness(world, name, { heardAt, welcomedAt, bornAt }) {
  const boundMs = welcomedAt === null ? 2 * handshakeMs : silenceMs + 2 * probeMs;
  // A clock that went back restarts the window when the page notices.
  const doubtsFrom = Math.max(heardAt ?? bornAt, world.wokeAt, world.backAt + world.lookPeriodMs(), world.lateAt);
  const age = world.trueNow - doubtsFrom;
  hold(MUST.blindness, age <= boundMs + 2 * world.lookPeriodMs(), () => `${name} has been silent for ${age} ms`);
}

/** From here on nothing fails any more: how long may it take until everything is live, if nobody helps? */
export const RECOVERY_MS = silenceMs + 2 * probeMs + LONGEST_PAUSE_MS + 4 * handshakeMs;

/** Whoever was not ended is live, and shows what a fresh page would show. */
export function checkWell(world, name) {
  const { phase } = world.stream(name);
  const page = world.page[name];
  if (page.ended) return hold(MUST.terminal, phase === "ended", () => `${name} is ${phase}`);
  hold(MUST.forEver, page.shown === "live", () => `${name} is ${phase} and ${page.shown} after everything was well again`);
  const head = world.server.head(name).topic;
  const { epoch, seq } = page.cursor.topic ?? {};
  hold(MUST.lossless, epoch === head.epoch && seq === head.seq, () => `${name} stands at ${seq} of ${head.seq}`);
  hold(MUST.lossless, page.state === world.server.state(name), () => `${name} shows something else than a fresh page would`);
  return undefined;
}
