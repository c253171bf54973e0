/**
 * Which way a page's connections take: WebSockets, or the event stream where these do not pass. Pure.
 *
 * Two WebSockets in a row that never came to `welcome` are a reason to try the other way; whether that
 * one works shows whether it was the network or the server. From there a WebSocket is tried every
 * minute beside the live streams, and one `welcome` is enough to go back.
 */

/** @import { Moment, Timings } from "./types.js" */
/** @import { Page, Route } from "./machine_types.js" */

/** One refused handshake happens, two in a row are a habit. */
const MOST_REFUSED = 2;
/** Being offline explains refusals. But browsers say so wrongly, too, so it does not explain them for ever. */
const MOST_REFUSED_OFFLINE = 6;
/**
 * Where WebSockets have passed before, a server that is away for a moment is more likely than a new
 * proxy: refusals must go on for this long, …
 */
const AWAY_MS = 5_000;
/** … and a WebSocket is tried this soon after the other way was taken. */
const SOON_MS = 1_000;

/**
 * @param {boolean} available is there another way at all?
 * @returns {Route}
 */
export function createRoute(available) {
  return { available, carrier: "websocket", refused: 0, refusedSinceMs: 0, passed: false, trialAtMs: Infinity, trial: null, trials: 0 };
}

/**
 * @param {Route} route
 * @param {Moment} now
 * @returns {Route} a WebSocket has failed before `welcome`, and nobody had answered
 */
export function refused(route, now) {
  return { ...route, refused: route.refused + 1, refusedSinceMs: route.refused === 0 ? now.ms : route.refusedSinceMs };
}

/** @param {Route} route @returns {Route} a WebSocket has reached `welcome` */
export function passed(route) {
  return { ...route, carrier: "websocket", refused: 0, passed: true, trialAtMs: Infinity, trial: null };
}

/** @param {Route} route @returns {Route} the other way does not work either: the server is away */
export function inVain(route) {
  return { ...route, carrier: "websocket", refused: 0, trialAtMs: Infinity, trial: null };
}

/**
 * Which way the next try takes. Hidden pages wait: a browser makes six connections to a host, over all its tabs.
 * @param {Route} route
 * @param {Page} page
 * @param {Timings} timings
 * @param {Moment} now
 * @returns {Route}
 */
export function chosen(route, page, timings, now) {
  const enough = page.offline ? MOST_REFUSED_OFFLINE : MOST_REFUSED;
  if (!route.available || route.carrier === "events" || !page.visible || route.refused < enough) return route;
  if (route.passed && now.ms - route.refusedSinceMs < AWAY_MS) return route;
  const firstMs = route.passed ? Math.min(SOON_MS, timings.trialMs) : timings.trialMs;
  return { ...route, carrier: "events", trialAtMs: now.ms + firstMs };
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
  return route.trial?.byMs ?? route.trialAtMs;
}
