/** Events go to streams, and what streams have to say to each other goes through here. */

/** @import { Moment } from "./types.js" */
/** @import { Effect, LinkState, OuterEffect, Stream, StreamEffect, StreamEvent } from "./machine_types.js" */

import { failed, succeeded } from "./breaker.js";
import { exchanged } from "./clock.js";
import { chooseScout } from "./link_schedule.js";
import { isLive } from "./liveness.js";
import { accuseRoute } from "./link_fallback.js";
import { carrying, passed } from "./route.js";
import { evidenceMs } from "./timings.js";

/** The others follow the scout within this time, spread, so that a herd does not hit the server five times at once. */
const FOLLOW_MS = 300;
/** Failures that the browser's being offline explains. */
const EXPLAINED_BY_OFFLINE = new Set(["close", "error", "probe-timeout", "handshake-timeout", "report-timeout"]);

/**
 * One step under way.
 * @typedef {object} Work
 * @property {LinkState} link the next state: this step's own copy, written to until the step is over
 * @property {Effect[]} effects
 * @property {Moment} now
 * @property {(stream: Stream, event: StreamEvent, now: Moment) => [Stream, StreamEffect[]]} stepStream
 * @property {typeof feed} feed
 */

/**
 * @param {Work} work
 * @param {string} name
 * @param {StreamEvent} event
 */
export function feed(work, name, event) {
  const { streams } = work.link;
  const index = streams.findIndex((each) => each.name === name);
  const stream = streams[index];
  if (stream === undefined) return;
  const [next, effects] = work.stepStream(stream, event, work.now);
  streams[index] = next;
  if (stream.life === null && next.life !== null) {
    work.link.route = next.carrier === "websocket" ? passed(work.link.route) : carrying(work.link.route, work.now);
  }
  // The newest welcome's windows are the page's.
  if (next.timings !== stream.timings) work.link.timings = next.timings;
  for (const effect of effects) route(work, next.name, effect);
}

/**
 * @param {Work} work
 * @param {StreamEvent} event
 */
export function feedAll(work, event) {
  for (const { name } of work.link.streams) feed(work, name, event);
}

/** @param {Work} work @param {string} name @param {StreamEffect} effect */
function route(work, name, effect) {
  switch (effect.type) {
    case "turn": return askForTurn(work);
    case "suspect": return suspectAll(work, name);
    case "tried-in-vain": return triedInVain(work, name, effect);
    case "failed": return blameOffline(work, name, effect.cause);
    case "exchange":
      work.link.clock = exchanged(work.link.clock, effect.asked, work.now);
      return undefined;
    case "synced":
      onSynced(work, name, effect.scout);
      return passOn(work, name, effect);
    default: return passOn(work, name, effect);
  }
}

/**
 * Effects are new objects of this step, so the name is simply written on them.
 * @param {Work} work
 * @param {string} name
 * @param {OuterEffect} effect
 */
function passOn(work, name, effect) {
  work.effects.push(Object.assign(effect, { stream: name }));
}

/** One turn of the event loop serves all who asked. @param {Work} work */
function askForTurn(work) {
  if (work.effects.some((effect) => effect.type === "turn")) return;
  work.link.turns += 1;
  work.effects.push({ type: "turn" });
}

/** Trouble on one stream is a reason to ask all others. @param {Work} work @param {string} name */
function suspectAll(work, name) {
  /** @type {StreamEvent} */
  const probe = { type: "probe", withinMs: evidenceMs(work.link.timings), cause: "probe-timeout", evidence: true };
  for (const other of work.link.streams) if (other.name !== name) feed(work, other.name, probe);
}

/**
 * The scout has failed: the breaker counts it, and if the path was good the next one in turn tries,
 * with the page's back-off, so that one stream's own trouble does not keep the others away.
 * @param {Work} work
 * @param {string} name
 * @param {Extract<StreamEffect, { type: "tried-in-vain" }>} attempt
 */
function triedInVain(work, name, attempt) {
  const { link, now } = work;
  accuseRoute(work, name, attempt);
  if (!attempt.scout) return;
  if (attempt.counts) link.breaker = failed(link.breaker, now.ms, now.random());
  const old = streamOf(work, name);
  const heir = chooseScout(link.streams.filter((stream) => stream.phase === "waiting"));
  if (!attempt.answered || old.phase !== "waiting" || heir === undefined || heir.name === name) return;
  feed(work, heir.name, { type: "inherit", failures: old.retry.failures, atMs: old.retry.wantsAtMs });
}

/** @param {Work} work @param {string} name @param {string} cause */
function blameOffline(work, name, cause) {
  if (work.link.page.offline && EXPLAINED_BY_OFFLINE.has(cause)) feed(work, name, { type: "blame", cause: "offline" });
}

/**
 * The path is proven: the breaker closes, and whoever has waited for the scout follows.
 * @param {Work} work
 * @param {string} name
 * @param {boolean} scout only its tries are counted, the followers' would outvote them
 */
function onSynced(work, name, scout) {
  const { link, now } = work;
  const spreadMs = link.everSynced ? FOLLOW_MS : 0;
  const first = !link.streams.some((stream) => stream.name !== name && isLive(stream, now));
  link.everSynced = true;
  link.breaker = succeeded(link.breaker, now.ms, scout);
  if (!first) return;
  for (const other of link.streams) {
    if (other.name !== name) feed(work, other.name, { type: "follow", atMs: now.ms + spreadMs * now.random() });
  }
}

/** @param {Work} work @param {string} name @returns {Stream} */
function streamOf(work, name) {
  return /** @type {Stream} */ (work.link.streams.find((stream) => stream.name === name));
}
