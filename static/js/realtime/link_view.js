/** What a person may see of a stream and of the page: computed from the facts, kept nowhere. */

/** @import { Moment, VisibleState } from "./types.js" */
/** @import { LinkState, Shown, Stream } from "./machine_types.js" */

import { allowedFromMs } from "./breaker.js";
import { isLive } from "./liveness.js";

/** Of several streams the worst is shown. */
const WORST_FIRST = Object.freeze(/** @type {VisibleState[]} */ (
  ["ended", "offline", "paused", "reconnecting", "connecting", "switching", "checking", "live"]
));
/** Ends that nobody has to be told about while other streams of the page go on. */
const QUIET_ENDS = new Set(["finished", "archived", "closed"]);

/**
 * @param {LinkState} link
 * @param {Stream} stream
 * @param {Moment} now
 * @returns {VisibleState}
 */
export function visibleState(link, stream, now) {
  if (stream.phase === "ended") return "ended";
  if (stream.phase === "live") {
    if (stream.drain?.leaveByMs != null) return isSwitching(stream, now) ? "switching" : "reconnecting";
    return isLive(stream, now) ? "live" : "checking";
  }
  return withoutSync(link, stream, now);
}

/** @param {LinkState} link @param {Stream} stream @param {Moment} now @returns {VisibleState} */
function withoutSync(link, stream, now) {
  const { retry, phase } = stream;
  if (isSwitching(stream, now)) return "switching";
  // A page that comes back opens its streams anew: nothing has failed until a try does.
  const isBack = retry.cause === "page" && !retry.planned;
  const failing = retry.tryFailed || (!isBack && (retry.failures > 0 || stream.everSynced));
  if (phase === "parked" || !failing) return "connecting";
  if (link.page.offline && (retry.tryFailed || hasFailed(link, now))) return "offline";
  return phase === "waiting" && isPaused(link, now) ? "paused" : "reconnecting";
}

/**
 * Has the page's last try failed? One stream tries for all, and the others wait for it.
 * @param {LinkState} link
 * @param {Moment} now
 */
function hasFailed({ streams }, now) {
  const tried = streams.some(({ phase, retry }) => phase !== "ended" && phase !== "parked" && retry.tryFailed);
  return tried && !streams.some((stream) => isLive(stream, now));
}

/**
 * A planned change of node: whatever comes between, it is no more than that for two seconds.
 * @param {Stream} stream
 * @param {Moment} now
 */
function isSwitching({ retry }, now) {
  return retry.switchUntilMs !== null && now.ms < retry.switchUntilMs;
}

/** @param {LinkState} link @param {Moment} now */
function isPaused(link, now) {
  return allowedFromMs(link.breaker, now.ms) > now.ms && !link.streams.some((stream) => isLive(stream, now));
}

/**
 * @param {LinkState} link
 * @param {Stream} stream
 * @param {Moment} now
 * @param {Shown} [before] what was shown last, answered again if nothing has changed
 * @returns {Shown}
 */
export function shownOf(link, stream, now, before) {
  const state = visibleState(link, stream, now);
  const waits = stream.phase === "waiting" && state !== "connecting" && link.tryAtMs !== Infinity;
  // Whoever waits for the scout, the circuit or the page's limit tries no earlier than these allow.
  const nextTryAtMs = waits ? Math.max(stream.retry.wantsAtMs, link.tryAtMs) : null;
  const reason = stream.ending;
  const same = before !== undefined && before.state === state && before.nextTryAtMs === nextTryAtMs;
  return same && before.reason === reason ? before : { state, nextTryAtMs, reason };
}

/**
 * The page's one badge. A stream that has come to its natural end does not count while others go on,
 * and neither does one that a hidden page has put aside.
 * @param {LinkState} link
 * @param {Moment} now
 * @returns {Shown}
 */
export function summaryOf(link, now) {
  const counted = link.streams.filter((stream) => stream.phase !== "parked" && !isQuietEnd(stream));
  const all = (counted.length > 0 ? counted : link.streams).map((stream) => shownOf(link, stream, now));
  const state = WORST_FIRST.find((each) => all.some((shown) => shown.state === each)) ?? "connecting";
  const worst = all.filter((shown) => shown.state === state);
  const tries = worst.flatMap((shown) => (shown.nextTryAtMs === null ? [] : [shown.nextTryAtMs]));
  return {
    state, nextTryAtMs: tries.length === 0 ? null : Math.min(...tries), reason: worst[0]?.reason ?? null,
  };
}

/** @param {Stream} stream */
function isQuietEnd(stream) {
  return stream.ending !== null && QUIET_ENDS.has(stream.ending.code);
}
