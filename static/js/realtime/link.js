/**
 * The page as a pure state machine: all its streams, what they share (evidence, scout, breaker,
 * limit, clock), and what page events mean for them. `stepLink(link, event, reading)` answers the
 * next state and the effects that the driver has to carry out, in order.
 */

/** @import { Moment, Reading, Timings } from "./types.js" */
/** @import { Effect, LinkEvent, LinkState, PageNews } from "./machine_types.js" */

import { assertNever } from "./assert_never.js";
import { closedBreaker, permitOne, tried } from "./breaker.js";
import { checked, unsetClock } from "./clock.js";
import { dueTimeCommand, nextAskMs } from "./link_clock.js";
import { hiddenAtMs, createPage, putAside, stepPage } from "./link_page.js";
import { endReach, endTrial, lookAtRoute, tryTogether } from "./link_fallback.js";
import { feed, feedAll } from "./link_route.js";
import { heldUp, nextGrant, recentAttempts } from "./link_schedule.js";
import { shownOf } from "./link_view.js";
import { afresh, createRoute, nextRouteMs } from "./route.js";
import { createStream, isDue, nextStreamLook, stepStream } from "./stream.js";
import { advanceTimeline, startTimeline } from "./timeline.js";
import { checkMs, evidenceMs, scoutMs } from "./timings.js";

/** @import { Work } from "./link_route.js" */

/**
 * @param {object} options
 * @param {Timings} options.timings
 * @param {boolean} options.visible
 * @param {boolean} options.offline
 * @param {boolean} [options.fallback] is there a way for where WebSockets do not pass?
 * @param {Reading} reading
 * @returns {LinkState}
 */
export function createLink({ timings, visible, offline, fallback = false }, reading) {
  return {
    timings, timeline: startTimeline(reading), page: createPage(visible, offline),
    breaker: closedBreaker(), attempts: [], checkAtMs: checkMs(timings, visible), tryAtMs: 0, armedMs: null,
    streams: [], everSynced: false, turns: 0, clock: unsetClock(), clockAskedMs: -Infinity, shown: {},
    route: createRoute(fallback),
  };
}

/**
 * @param {LinkState} link
 * @param {LinkEvent} event
 * @param {Reading} reading
 * @returns {[LinkState, Effect[]]}
 */
export function stepLink(link, event, reading) {
  const [timeline, now] = momentOf(link, reading);
  /** @type {Work} */
  const work = { link: copyOf(link, timeline), effects: [], now, stepStream, feed };
  // First of all, so that nothing of the old context goes out on the occasion of this step.
  if (event.type === "context") feedAll(work, { type: "context" });
  noticeLateness(work);
  take(work, event);
  lookAround(work);
  // A page opens its streams one after the other: who tries first is chosen once all are known.
  const tryAtMs = event.type === "open" ? now.ms : grantTries(work);
  publish(work, link.route.carrier);
  arm(work, tryAtMs, event.type === "tick");
  return [work.link, work.effects];
}

/**
 * This step's own copy, written to until the step is over; field by field, which is much faster than spread.
 * @param {LinkState} link
 * @param {LinkState["timeline"]} timeline
 * @returns {LinkState}
 */
function copyOf(link, timeline) {
  return {
    timings: link.timings, timeline, page: link.page, breaker: link.breaker, attempts: link.attempts,
    checkAtMs: link.checkAtMs, tryAtMs: link.tryAtMs, armedMs: link.armedMs,
    streams: link.streams.slice(), everSynced: link.everSynced, turns: link.turns,
    clock: link.clock, clockAskedMs: link.clockAskedMs, shown: link.shown, route: link.route,
  };
}

/**
 * @param {LinkState} link
 * @param {Reading} reading
 * @returns {[LinkState["timeline"], Moment]}
 */
export function momentOf(link, reading) {
  const { timings, page } = link;
  return advanceTimeline(link.timeline, reading, checkMs(timings, page.visible), checkMs(timings, true));
}

/** @param {Work} work @param {LinkEvent} event */
function take(work, event) {
  switch (event.type) {
    case "stream": return feed(work, event.stream, event.event);
    case "open": return openStream(work, event.options);
    case "page": return onPage(work, event.what);
    case "try-now":
      hurry(work);
      return ask(work);
    case "turn": return onTurn(work);
    case "trial": return endTrial(work, event.number, event.ok);
    case "reached": return endReach(work, event.number, event.ok);
    case "context":
    case "tick": return undefined;
    default: return assertNever(event);
  }
}

/**
 * A turn of the event loop has passed. Doubts that came up while it was under way have not had theirs
 * in full: they are judged when the last one has come.
 * @param {Work} work
 */
function onTurn(work) {
  work.link.turns = Math.max(0, work.link.turns - 1);
  if (work.link.turns === 0) feedAll(work, { type: "turn" });
}

/** @param {Work} work @param {Extract<LinkEvent, { type: "open" }>["options"]} options */
function openStream(work, options) {
  const { streams, timings } = work.link;
  const old = streams.find((stream) => stream.name === options.name);
  const stream = createStream({ ...options, timings }, work.now, old);
  work.link.streams = [...streams.filter((each) => each !== old), stream];
}

/** @param {Work} work @param {Extract<LinkEvent, { type: "page" }>["what"]} what */
function onPage(work, what) {
  const { link, now } = work;
  const { page, news, feed: told, ask: inDoubt, hurry: inHurry } = stepPage(link.page, what, now);
  link.page = page;
  link.checkAtMs = Math.min(link.checkAtMs, now.ms + checkMs(link.timings, page.visible));
  // While the page is still hidden, what it does not keep is put aside again before it can try.
  if (told.includes("unpark")) feedAll(work, { type: "unpark" });
  if (what === "online") forgetRefusals(work);
  if (inHurry) hurry(work);
  if (inDoubt) ask(work);
  if (news !== null) tell(work, news);
  if (told.includes("park")) feedAll(work, { type: "park", why: "left" });
}

/** The network may be another one now; whoever is connected already knows better. @param {Work} work */
function forgetRefusals({ link }) {
  if (link.streams.every((stream) => stream.life === null)) link.route = afresh(link.route);
}

/** Skip what waits, let one try pass the breaker. @param {Work} work */
function hurry(work) {
  work.link.breaker = permitOne(work.link.breaker);
  feedAll(work, { type: "hurry" });
}

/** Ask what is connected, with the short deadline. @param {Work} work */
function ask(work) {
  const withinMs = evidenceMs(work.link.timings);
  feedAll(work, { type: "probe", withinMs, cause: "probe-timeout", evidence: false });
}

/**
 * A check that comes more than a period late, or after a sleep, means "unknown": every connection is
 * asked afresh, after what waits to be read has been read.
 * @param {Work} work
 */
function noticeLateness(work) {
  const { link, now } = work;
  const overMs = now.ms - link.checkAtMs;
  const late = now.slept || overMs > now.lateAfterMs;
  if (overMs >= 0) link.checkAtMs = now.ms + checkMs(link.timings, link.page.visible);
  const before = link.clock;
  link.clock = checked(before, now);
  if (late) feedAll(work, { type: "late" });
  if (late || link.clock !== before) tell(work, "slept");
}

/**
 * Deadlines are looked at with every step, because timers of hidden pages run once a minute. Not
 * while the page has an event in its hands: a failure now would lose the outcome, and the event
 * would be applied a second time after the reconnect.
 * @param {Work} work
 */
function lookAround(work) {
  for (const stream of work.link.streams) {
    if (stream.delivery === null && isDue(stream, work.now)) feed(work, stream.name, { type: "look" });
  }
  for (const name of putAside(work.link, work.now)) feed(work, name, { type: "park", why: "hidden" });
  askTime(work);
  makeWay(work);
  if (!isHandling(work)) lookAtRoute(work);
}

/** The page has an event in its hands: whoever fails now would lose the outcome. @param {Work} work */
function isHandling({ link }) {
  return link.streams.some((stream) => stream.delivery !== null);
}

/** @param {Work} work */
function askTime(work) {
  const due = dueTimeCommand(work.link, work.now);
  if (due === null) return;
  work.link.clockAskedMs = work.now.ms;
  feed(work, due.name, { type: "command", spec: due.spec });
}

/** Whoever holds up the others with a handshake gets less time for it. @param {Work} work */
function makeWay(work) {
  const held = heldUp(work.link);
  if (held !== null) feed(work, held.name, { type: "shorten", withinMs: held.withinMs });
}

/** @param {Work} work @returns {number} ms, when to ask again who may try */
function grantTries(work) {
  const { link, now } = work;
  for (;;) {
    if (link.page.left) return Infinity;
    const next = waitsHidden(link) ? { atMs: Infinity } : nextGrant(link, now);
    if (!("grant" in next)) {
      link.tryAtMs = next.busy === true ? Infinity : next.atMs;
      return next.atMs;
    }
    const { name, scout, withinMs } = next.grant;
    if (link.route.carrier === "events" && isHandling(work)) return Infinity;
    if (scout) link.breaker = tried(link.breaker, now.ms);
    link.attempts = [...recentAttempts(link.attempts, now), now.ms];
    if (link.route.carrier === "events") tryTogether(work, name, scoutMs(link.timings));
    else feed(work, name, { type: "try", scout, withinMs, carrier: "websocket", asks: link.route.refused > 0 });
    makeWay(work);
  }
}

/** The fallback is for pages that somebody looks at. @param {LinkState} link */
function waitsHidden({ page, route }) {
  return route.carrier === "events" && !page.visible;
}

/** Tells what a person may see, when it has changed. @param {Work} work @param {string} carrierBefore */
function publish(work, carrierBefore) {
  const { link, now } = work;
  const before = link.shown;
  for (const stream of link.streams) {
    const shown = shownOf(link, stream, now, link.shown[stream.name]);
    if (shown === link.shown[stream.name]) continue;
    link.shown = { ...link.shown, [stream.name]: shown };
    work.effects.push({ type: "shown", stream: stream.name, shown });
  }
  if (link.shown !== before || link.route.carrier !== carrierBefore) work.effects.push({ type: "summary" });
}

/**
 * One timer for the whole page, set to whatever is due first.
 * @param {Work} work
 * @param {number} tryAtMs
 * @param {boolean} fired
 */
function arm(work, tryAtMs, fired) {
  const { link, now } = work;
  let atMs = Math.min(tryAtMs, hiddenDueMs(link, now), checkDueMs(link), nextAskMs(link, now), nextRouteMs(link.route));
  for (const stream of link.streams) atMs = Math.min(atMs, nextStreamLook(stream, now));
  if (atMs === link.armedMs && !fired) return;
  const armed = link.armedMs !== null;
  link.armedMs = atMs;
  if (atMs !== Infinity || armed) work.effects.push({ type: "arm", inMs: Math.max(0, atMs - now.ms) });
}

/** @param {LinkState} link @param {Moment} now */
function hiddenDueMs(link, now) {
  const atMs = hiddenAtMs(link);
  return atMs > now.ms ? atMs : Infinity;
}

/** Nothing to check without a connection or the wish for one. @param {LinkState} link */
function checkDueMs(link) {
  const idle = link.streams.every((stream) => stream.phase === "ended" || stream.phase === "parked");
  return idle ? Infinity : link.checkAtMs;
}

/** @param {Work} work @param {PageNews} what */
function tell(work, what) {
  for (const stream of work.link.streams) work.effects.push({ type: "page", stream: stream.name, what });
}
