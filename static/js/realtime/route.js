/**
 * Which way a page's connections take: WebSockets, or the event stream where these do not pass. Pure.
 *
 * Two WebSockets in a row that never came to `welcome` are a reason to try the other way, if the server
 * answers a plain request between them. Without that answer the server is away, or the whole network is,
 * and a herd that took the other way because of it would cost a returning server twice. From there a
 * WebSocket is tried every minute beside the live streams, and one `welcome` is enough to go back.
 */

/** @import { Moment, Timings } from "./types.js" */
/** @import { Page, Route } from "./machine_types.js" */

/** Being offline explains refusals. But browsers say so wrongly, too, so it does not explain them for ever. */
const MOST_REFUSED_OFFLINE = 6;
/**
 * Where WebSockets have passed before, a server that is away for a moment is more likely than a new
 * proxy: refusals must go on for this long, …
 */
const AWAY_MS = 5_000;
/** … nobody is asked before they have for this long, … */
const ASK_AFTER_MS = 1_000;
/** … and a WebSocket is tried this soon after the other way was taken. */
const SOON_MS = 1_000;
/** Once the other way was in vain nobody asks for it for so long, each time twice as long, … */
const FIRST_VAIN_MS = 5_000;
const LONGEST_VAIN_MS = 60_000;
/** … and somewhat longer, each page at a moment of its own: a server may have driven away all at once, … */
const SPREAD_MS = 1_000;
/** … unless it had carried the page for this long. */
const CARRIED_MS = 10_000;

/**
 * @param {boolean} available is there another way at all?
 * @returns {Route}
 */
export function createRoute(available) {
  return {
    available, carrier: "websocket", refused: 0, refusedSinceMs: 0, passed: false,
    reach: null, reaches: 0, reachedMs: null, trialAtMs: Infinity, trial: null, trials: 0,
    carriesMs: null, vains: 0, askFromMs: 0,
  };
}

/**
 * A WebSocket has failed before `welcome`, and nobody had answered: is it time for the other way? One refused
 * handshake happens; the second in a row proves something of WebSockets if it was begun after the server had
 * answered the plain request that followed the first, or has hung for long since then. Hidden pages wait: a
 * browser makes six connections to a host, over all its tabs.
 * @param {Route} route
 * @param {number} openedMs when it was begun
 * @param {Page} page
 * @param {{ hangsMs: number, trialMs: number }} windows hangsMs: from here on it has hung for long
 * @param {Moment} now
 * @returns {Route}
 */
export function refused(route, openedMs, page, { hangsMs, trialMs }, now) {
  const { available, passed: before, reachedMs } = route;
  const times = route.refused + 1;
  const sinceMs = route.refused === 0 ? openedMs : route.refusedSinceMs;
  const next = { ...route, refused: times, refusedSinceMs: sinceMs, reachedMs: null };
  const proven = reachedMs !== null && (openedMs >= reachedMs || now.ms - reachedMs >= hangsMs);
  const explained = (page.offline && times < MOST_REFUSED_OFFLINE) || (before && now.ms - sinceMs < AWAY_MS);
  if (!available || !page.visible || !proven || explained) return next;
  const trialInMs = before ? Math.min(SOON_MS, trialMs) : trialMs;
  return { ...next, carrier: "events", carriesMs: null, reach: null, trialAtMs: now.ms + trialInMs };
}

/**
 * Is it time to ask whether the server can be reached at all? What is refused next may then decide.
 * @param {Route} route
 * @param {Page} page
 * @param {Moment} now
 */
export function wantsToReach({ available, carrier, reach, refused: times, refusedSinceMs, passed: before, askFromMs }, page, now) {
  if (!available || carrier === "events" || !page.visible || reach !== null || times === 0 || now.ms < askFromMs) return false;
  return !before || now.ms - refusedSinceMs >= ASK_AFTER_MS;
}

/**
 * @param {Route} route
 * @param {number} byMs
 * @returns {Route} a plain request is under way
 */
export function reaching(route, byMs) {
  const number = route.reaches + 1;
  return { ...route, reaches: number, reach: { number, byMs }, askFromMs: 0 };
}

/**
 * @param {Route} route
 * @param {boolean} ok the server has answered it
 * @param {Moment} now
 * @returns {Route}
 */
export function reached(route, ok, now) {
  return { ...route, reach: null, reachedMs: ok ? now.ms : null };
}

/**
 * Is the pause after the other way was in vain just over? Then nobody waits for the next refusal to ask: where it had
 * carried the page, nothing else is known to pass.
 * @param {Route} route
 * @param {Moment} now
 */
export function mayAskAgain({ carrier, askFromMs }, now) {
  return carrier === "websocket" && askFromMs > 0 && askFromMs <= now.ms;
}

/**
 * Back to the other way, from which a dead path has driven the page: where no WebSocket has ever passed the next one
 * decides, so it need not wait for the back-off, and comes once in a pause that doubles.
 * @param {Route} route
 */
export function decidesAtOnce({ passed: before, vains }) {
  return !before && vains > 0;
}

/** @param {Route} route @returns {Route} whoever is refused asks, as before */
export function pauseOver(route) {
  return { ...route, askFromMs: 0 };
}

/** @param {Route} route @returns {Route} a WebSocket has reached `welcome` */
export function passed(route) {
  return { ...afresh(route), passed: true };
}

/** @param {Route} route @param {Moment} now @returns {Route} the event stream has reached `welcome`: a try that hangs carries nobody */
export function carrying(route, now) {
  return route.carrier === "events" && route.carriesMs === null ? { ...route, carriesMs: now.ms } : route;
}

/** @param {Route} route @returns {Route} the network may be another one now */
export function afresh(route) {
  return { ...forgotten(route), vains: 0, askFromMs: 0 };
}

/**
 * The other way does not work either: the server is away, or answers requests only. Changing the way lets all streams
 * try at once, so a page that went on changing it would have neither back-off nor circuit breaker.
 * @param {Route} route
 * @param {Moment} now
 * @returns {Route}
 */
export function inVain(route, now) {
  const carriedMs = route.carriesMs === null ? 0 : now.ms - route.carriesMs;
  const vains = carriedMs >= CARRIED_MS ? 0 : route.vains;
  const askFromMs = now.ms + Math.min(FIRST_VAIN_MS * 2 ** vains, LONGEST_VAIN_MS) + SPREAD_MS * now.random();
  return { ...forgotten(route), vains: vains + 1, askFromMs };
}

/** @param {Route} route @returns {Route} */
function forgotten(route) {
  return {
    ...route, carrier: "websocket", refused: 0, reach: null, reachedMs: null, trialAtMs: Infinity, trial: null,
  };
}

/**
 * @param {Route} route
 * @param {number} byMs
 * @returns {Route} a WebSocket is being tried beside the live streams
 */
export function onTrial(route, byMs) {
  const number = route.trials + 1;
  return { ...route, trials: number, trial: { number, byMs }, trialAtMs: Infinity };
}

/**
 * @param {Route} route
 * @param {Timings} timings
 * @param {Moment} now
 * @returns {Route} it did not pass
 */
export function trialFailed(route, timings, now) {
  return { ...route, trial: null, trialAtMs: now.ms + timings.trialMs };
}

/**
 * @param {Route} route
 * @param {Moment} now
 * @returns {Route} nobody is live who could be asked for a trial
 */
export function trialPutOff(route, now) {
  return { ...route, trialAtMs: now.ms + SOON_MS };
}

/** @param {Route} route @returns {number} ms, when there is something to do */
export function nextRouteMs(route) {
  const askMs = route.carrier === "websocket" && route.askFromMs > 0 ? route.askFromMs : Infinity;
  return Math.min(route.reach?.byMs ?? Infinity, route.trial?.byMs ?? route.trialAtMs, askMs);
}
