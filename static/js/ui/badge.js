/**
 * The connection badge: one word for all streams of the page, and behind it the panel for looking inside. Losing and
 * regaining the connection is said once each; an interruption under two seconds is neither said nor made to flash: the
 * word stays what it was, and the lamp goes out. What depends on the connection, buttons say, asks the streams.
 */

/** @import { Link, Summary } from "../realtime/index.js" */
/** @import { SessionWatch } from "./session.js" */
/** @typedef {Pick<SessionWatch, "who" | "words" | "subscribe"> | null} Owner whose page it is, and whose browser; null: nobody's */

import { showConnectionPanel } from "./connection_panel.js";
import { element, find, setShown, setText } from "./dom.js";
import { inSeconds } from "./words.js";

const GRACE_MS = 2_000;
const LOST = new Set(["reconnecting", "offline", "paused", "ended"]);
const WELL = new Set(["live", "checking", "switching"]);
const BACK = new Set(["live", "checking"]);
/** What may be over before anybody had to know of it. */
const MAY_PASS = new Set(["connecting", "checking", "reconnecting", "offline", "paused"]);
/** Ends that another document may not meet with. */
const RELOAD_HELPS = new Set(["old-client", "fault", "bad-request", "other-user"]);

/** @type {Readonly<Record<string, string>>} */
const EXPLAINED = Object.freeze({
  connecting: "Opening the live connections of this page.",
  live: "New things appear here by themselves; when the server was last heard from stands below.",
  checking: "Nothing has been heard for a while; the connection is being checked.",
  reconnecting: "The connection is lost. What happens meanwhile is shown as soon as it is back.",
  switching: "Changing over to another server, as planned.",
  offline: "The browser says that it is offline. Fathom goes on trying, slowly.",
  paused: "The server could not be reached several times; the next try waits so as not to make it worse.",
  ended: "The live connection of this page has ended.",
});

/** Why the connection has ended, where one word says more than "ended". @type {Readonly<Record<string, string>>} */
const ENDED = Object.freeze({
  "signed-out": "sign in again", forbidden: "no access", "not-found": "not here any more", "old-client": "out of date, reload",
  fault: "a fault of this page, reload", "bad-request": "refused, reload", refused: "refused",
  "other-user": "another signed in, reload",
});
const BY_REQUESTS = "WebSockets do not pass here: this page runs over its fallback, plain HTTP, until they do.";

/** @param {Link} link @param {Owner} [owner] */
export function showBadge(link, owner = null) {
  const badge = find(document, ".badge", HTMLDetailsElement);
  if (badge === null) return;
  badge.hidden = false;
  showConnectionPanel(badge, link);
  const tryNow = element(badge, ".try-now");
  tryNow?.addEventListener("click", () => link.tryNow());
  element(badge, ".reload-page")?.addEventListener("click", () => location.reload());
  const voice = connectionVoice((words) => setText(document, "#connection-said", words));
  const grace = interruptionGrace();
  const show = () => {
    const summary = link.summary();
    document.body.dataset["connection"] = summary.state;
    const inGrace = grace(summary.state, performance.now());
    paintLines(badge, summary);
    if (inGrace) badge.dataset["shown"] = "unproven";
    else paint(badge, withOwner(summary, owner));
    if (tryNow !== null) tryNow.hidden = !LOST.has(summary.state) || summary.state === "ended";
    voice(summary.state, inGrace, summary.reason?.message);
  };
  link.subscribe(show);
  owner?.subscribe(show);
  // Seconds to the next try count down, and the grace comes to its end, without any event.
  setInterval(() => MAY_PASS.has(document.body.dataset["connection"] ?? "") && show(), 500);
}

/** @param {HTMLElement} badge @param {Summary} summary */
function paint(badge, summary) {
  const { state, reason } = summary;
  Object.assign(badge.dataset, { shown: state, reason: reason?.code ?? "" });
  setText(badge, ".badge-text", inLines(badgeText(state, summary)));
  setShown(badge, ".sign-in-again", reason?.code === "signed-out");
  setShown(badge, ".reload-page", RELOAD_HELPS.has(reason?.code ?? ""));
  setText(badge, ".badge-reason", reason?.message || explained(state, summary));
}

/** A page of somebody else than who is signed in now has closed its connection itself. @param {Summary} summary @param {Owner} owner @returns {Summary} */
function withOwner(summary, owner) {
  return owner?.who === "other" ? { ...summary, reason: { code: "other-user", message: owner.words } } : summary;
}

/** @param {HTMLElement} badge @param {Summary} summary */
function paintLines(badge, summary) {
  badge.dataset["carrier"] = summary.carrier;
  for (const [name, state] of Object.entries(summary.streams)) {
    const line = element(badge, `[data-stream="${name}"]`);
    if (line === null) continue;
    line.dataset["state"] = state;
    setText(line, ".stream-state", state);
  }
}

/** @param {string} shown @param {Summary} summary @returns {string} */
function explained(shown, { carrier }) {
  const words = EXPLAINED[shown] ?? "";
  return carrier === "events" && WELL.has(shown) ? `${words} ${BY_REQUESTS}`.trim() : words;
}

/** @param {string} shown @param {Summary} summary @returns {string} */
export function badgeText(shown, { nextTryMs, reason, carrier }) {
  const soon = nextTryMs === null ? "" : inSeconds(Math.max(1, Math.ceil(nextTryMs / 1000)));
  switch (shown) {
    case "checking": return "checking the connection";
    case "reconnecting": return `not live: reconnecting ${soon}`.trim();
    case "offline": return "not live: offline";
    case "paused": return soon === "" ? "not live: the server is busy" : `not live: the server is busy, next try ${soon}`;
    case "ended": return `not live: ${ENDED[reason?.code ?? ""] ?? "ended"}`;
    case "live": return carrier === "events" ? "live (fallback)" : "live";
    default: return shown;
  }
}

/** Lines break behind a colon or a comma, so that the badge is as wide as its words. @param {string} text @returns {string} */
function inLines(text) {
  const [first = "", ...others] = text.split(/(?<=[:,]) /);
  return [first, ...others.map((part) => part.replaceAll(" ", "\u00a0"))].join(" ");
}

/**
 * Is an interruption still too short to be made anything of? It began when the page was last proven to be live, whatever
 * it has been called since; a change of server that takes too long began when it did.
 * @returns {(state: string, nowMs: number) => boolean}
 */
export function interruptionGrace() {
  let sinceMs = /** @type {number | null} */ (null);
  return (state, nowMs) => {
    sinceMs = state === "live" ? null : sinceMs ?? nowMs;
    return MAY_PASS.has(state) && sinceMs !== null && nowMs - sinceMs < GRACE_MS;
  };
}

/**
 * @param {(words: string) => void} say
 * @returns {(state: string, inGrace: boolean, why?: string) => void} why: it has ended, in words
 */
export function connectionVoice(say) {
  let told = /** @type {"" | "lost" | "ended"} */ ("");
  return (state, inGrace, why = "") => {
    if (state === "ended") {
      if (told !== "ended") say(`Live updates of this page have ended. ${why}`.trim());
      told = "ended";
    } else if (told === "" && LOST.has(state) && !inGrace) {
      told = "lost";
      say("The live connection is lost. Reconnecting.");
    } else if (told !== "" && BACK.has(state)) {
      told = "";
      say("The page is live again.");
    }
  };
}
