/** What the way that is taken means for the streams of a page: they go together, and they come back. */

/** @import { Stream, StreamEffect } from "./machine_types.js" */
/** @import { Work } from "./link_route.js" */

import { permitOne } from "./breaker.js";
import { hello } from "./frames.js";
import { isLive } from "./liveness.js";
import {
  decidesAtOnce, inVain, mayAskAgain, nextRouteMs, onTrial, passed, pauseOver, reached, reaching, refused,
  trialFailed, trialPutOff, wantsToReach,
} from "./route.js";
import { evidenceMs, scoutMs } from "./timings.js";

/**
 * Nobody has answered this try, and nothing else explains it.
 * @param {Work} work
 * @param {string} name
 * @param {Extract<StreamEffect, { type: "tried-in-vain" }>} attempt
 */
export function accuseRoute(work, name, { answered, counts, late, openedMs }) {
  const { link, now } = work;
  const { carrier } = link.streams.find((each) => each.name === name) ?? {};
  if (answered || late || !counts || carrier !== link.route.carrier) return;
  // An old WebSocket may live on where no new one passes.
  if (carrier === "websocket") onRefused(work, openedMs);
  else if (!link.streams.some((each) => each.carrier === carrier && isLive(each, now))) link.route = inVain(link.route, now);
}

/** Enough is known now, or the server is asked by a plain request. @param {Work} work @param {number} openedMs */
function onRefused(work, openedMs) {
  const { link, now } = work;
  const { page, timings } = link;
  link.route = refused(link.route, openedMs, page, { hangsMs: evidenceMs(timings), trialMs: timings.trialMs }, now);
  if (link.route.carrier === "events") return comeOver(work);
  if (wantsToReach(link.route, page, now)) askServer(work);
}

/** @param {Work} work */
function askServer(work) {
  const { link, now } = work;
  const { timings } = link;
  const withinMs = scoutMs(timings);
  link.route = reaching(link.route, now.ms + withinMs);
  work.effects.push({ type: "reach", number: link.route.reaches, withinMs });
}

/** The server can be reached, so nothing is gained by waiting; each page has come to know it at a moment of its own. @param {Work} work */
function comeOver(work) {
  const { link, now } = work;
  link.breaker = permitOne(link.breaker);
  for (const { name } of link.streams) work.feed(work, name, { type: "follow", atMs: now.ms });
}

/**
 * @param {Work} work
 * @param {number} number of the request
 * @param {boolean} ok the server has answered it
 */
export function endReach(work, number, ok) {
  const { link, now } = work;
  if (link.route.reach?.number !== number) return;
  link.route = reached(link.route, ok, now);
  // It is open because nobody answered, and that is over: the WebSocket which decides waits for no pause.
  if (ok && (link.breaker.mode === "open" || decidesAtOnce(link.route))) comeOver(work);
}

/**
 * One response carries all streams of the document, so whoever is open opens anew with whoever wants to.
 * @param {Work} work
 * @param {string} scout the one whose outcome the breaker counts
 * @param {number} withinMs
 */
export function tryTogether(work, scout, withinMs) {
  regroup(work);
  for (const { name, phase, retry } of work.link.streams) {
    if (phase !== "waiting" || (retry.hinted && retry.wantsAtMs > work.now.ms)) continue;
    work.feed(work, name, { type: "try", scout: name === scout, withinMs, carrier: "events", asks: false });
  }
}

/** Everybody on the event stream leaves it, to come back at once. @param {Work} work */
export function regroup(work) {
  for (const { name, carrier, socket } of work.link.streams) {
    if (carrier === "events" && socket !== null) work.feed(work, name, { type: "regroup" });
  }
}

/**
 * Whether a WebSocket passes again is asked beside the live streams, by a document of its own. If one has
 * passed, or the event stream is given up, nobody stays on it.
 * @param {Work} work
 */
export function lookAtRoute(work) {
  const { link, now } = work;
  if (link.route.reach !== null && link.route.reach.byMs <= now.ms) endReach(work, link.route.reach.number, false);
  if (mayAskAgain(link.route, now)) {
    if (wantsToReach(link.route, link.page, now)) askServer(work);
    else link.route = pauseOver(link.route);
  }
  const { route, timings, page } = link;
  if (route.carrier !== "events") return regroup(work);
  if (nextRouteMs(route) > now.ms) return;
  if (route.trial !== null) return endTrial(work, route.trial.number, false);
  const stream = link.streams.filter((each) => isLive(each, now)).sort(byWeight)[0];
  if (stream === undefined || !page.visible || page.left) {
    link.route = trialPutOff(route, now);
    return;
  }
  link.route = onTrial(route, now.ms + scoutMs(timings));
  work.effects.push({ type: "trial", number: link.route.trials, url: stream.url, text: greeting(stream) });
}

/**
 * @param {Work} work
 * @param {number} number of the trial
 * @param {boolean} ok it has reached `welcome`
 */
export function endTrial(work, number, ok) {
  const { link, now } = work;
  if (link.route.trial?.number !== number) return;
  work.effects.push({ type: "trial-end", number });
  link.route = ok ? passed(link.route) : trialFailed(link.route, link.timings, now);
}

/** The preferred one last: its stream is worth more than a question. @param {Stream} a @param {Stream} b */
function byWeight(a, b) {
  return Number(a.preferred) - Number(b.preferred);
}

/** Under another id, or the live stream would be taken over by it. @param {Stream} stream */
function greeting({ client, cursor }) {
  const stats = { gaps: 0, duplicates: 0, rttMs: null };
  return hello({ client: `${client}-trial`, tries: 0, cause: "page", gapMs: 0, stats, cursor, token: null });
}
