/** The inside of a page's connections in words: for the panel behind the badge, and for the text that organisers ask for. */

/** @import { Link } from "../realtime/index.js" */
/** @typedef {ReturnType<Link["connections"]>[number]} Inside one stream */
/** @typedef {ReturnType<Link["page"]>} Page */

/** Past failures that are said; the library keeps ten. */
const MOST_CAUSES = 3;

/** Number and unit stay on one line. */
const UNBROKEN = "\u00a0";

/** @type {Readonly<Record<string, string>>} */
const TRANSPORTS = Object.freeze({ websocket: "WebSocket", events: "server-sent events" });

/** @type {Readonly<Record<string, string>>} */
const CAUSES = Object.freeze({
  error: "an error of the network",
  "handshake-timeout": "no answer to the handshake",
  "probe-timeout": "no answer when asked",
  "report-timeout": "no answer to a report of time",
  "send-error": "nothing could be sent",
  gap: "something was missing, so it was asked for again",
  slow: "this page took in too little",
  page: "changed over by this page itself",
  slept: "this computer slept",
  offline: "the browser was offline",
  drain: "planned change of server",
  superseded: "a newer connection took over",
  fault: "something could not be taken in",
});

/** @param {number} ms @returns {string} 3400 → "3 s ago", 200000 → "3 min ago" */
export function ago(ms) {
  return `${age(ms)} ago`;
}

/** @param {number} ms @returns {string} */
function age(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}${UNBROKEN}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? `${minutes}${UNBROKEN}min` : `${Math.floor(minutes / 60)}${UNBROKEN}h`;
}

/** How old the proof is that the page rests on. @param {{ lastFrameAgeMs: number | null }[]} streams @returns {string} */
export function frameAge(streams) {
  const ages = streams.flatMap(({ lastFrameAgeMs }) => (lastFrameAgeMs === null ? [] : [lastFrameAgeMs]));
  if (ages.length === 0) return "no frame yet";
  const [newest, oldest] = [Math.min(...ages), Math.max(...ages)].map(age);
  return newest === oldest ? `last frame ${oldest} ago` : `last frames ${newest} to ${oldest} ago`;
}

/**
 * What is so right now.
 * @param {Pick<Inside, "lastFrameAgeMs" | "rttMs" | "transport" | "nextTryMs" | "probe">} stream
 * @returns {string}
 */
export function lifeWords({ lastFrameAgeMs, rttMs, transport, nextTryMs, probe }) {
  const parts = [
    lastFrameAgeMs === null ? "no frame yet" : `last frame ${ago(lastFrameAgeMs)}`,
    rttMs === null ? "round trip unknown" : `round trip ${Math.round(rttMs)} ms`,
    TRANSPORTS[transport] ?? transport,
  ];
  if (probe !== null) parts.push(`asked, answer due in ${inSeconds(probe.dueInMs)}`);
  if (nextTryMs !== null) parts.push(`next try in ${inSeconds(nextTryMs)}`);
  return parts.join(" · ");
}

/**
 * How far it has come, and how often it was tried.
 * @param {Pick<Inside, "cursor" | "sockets" | "failures" | "state" | "queued">} stream
 * @returns {string}
 */
export function placeWords({ cursor, sockets, failures, state, queued }) {
  const topics = Object.entries(cursor ?? {}).map(([topic, { seq }]) => `${topic} ${seq}`);
  const parts = [topics.length === 0 ? "keeps no place" : `at ${topics.join(", ")}`];
  parts.push(sockets === 1 ? "tried once" : `tried ${sockets} times`);
  if (state !== "live" && failures > 0) parts.push(failures === 1 ? "1 failure" : `${failures} failures in a row`);
  if (queued.length > 0) parts.push(queued.length === 1 ? "1 command waits" : `${queued.length} commands wait`);
  return parts.join(" · ");
}

/** Who has closed it, as far as the code tells: those from 4000 on are the server's own, and an `end` frame has none. @param {string} cause @param {number | null} code @returns {string} */
function causeText(cause, code) {
  if (cause !== "close") return CAUSES[cause] ?? cause;
  if (code === null) return "ended by the server";
  if (code >= 4000) return "closed by the server";
  return code === 1005 || code === 1006 ? "cut off on the way" : "closed by the server or on the way";
}

/** Why it was interrupted, the latest first; empty: it never was. @param {Pick<Inside, "causes">} stream @returns {string} */
export function causeWords({ causes }) {
  const latest = causes.slice(-MOST_CAUSES).reverse();
  return latest.map(({ cause, code, agoMs }) => `${causeText(cause, code)}${code === null ? "" : ` (${code})`}, ${ago(agoMs)}`).join("; ");
}

/**
 * What was heard has told the time, so a clock that is not known any more was thrown away.
 * @param {Pick<Page, "clock">} page
 * @param {Pick<Inside, "lastFrameAgeMs">[]} streams
 * @returns {string}
 */
export function clockWords({ clock }, streams) {
  if (clock !== null) return `synchronised, ± ${Math.ceil(clock.errorMs)} ms`;
  const isHeard = streams.some(({ lastFrameAgeMs }) => lastFrameAgeMs !== null);
  return `not synchronised: ${isHeard ? "this computer slept or its clock was set, and the server is asked again" : "the server has not told the time yet"}`;
}

/** @param {Pick<Page, "visible" | "hiddenForMs" | "offline" | "circuit">} page @returns {string} */
export function pageWords({ visible, hiddenForMs, offline, circuit }) {
  const parts = [visible ? "in front" : `hidden for ${age(hiddenForMs ?? 0)}`];
  if (offline) parts.push("the browser says that it is offline");
  if (circuit.mode !== "closed") parts.push(`tries are paused for ${inSeconds(circuit.opensInMs)}`);
  return parts.join(" · ");
}

/** How long silence may last, in the server's windows. @param {Pick<Page, "timings">} page @returns {string} */
export function windowWords({ timings: { heartbeatMs, silenceMs, probeMs } }) {
  const [heartbeat, silence, probe] = [heartbeatMs, silenceMs, probeMs].map(plainSeconds);
  return `the server speaks every ${heartbeat} s; after ${silence} s of silence it is asked, and has ${probe} s to answer`;
}

/**
 * Everything at once, to be read by people and, at its end, by programs.
 * @param {object} given
 * @param {string} given.shown what the badge says
 * @param {string} given.path
 * @param {string} given.browser as it names itself
 * @param {string} given.at this computer's time
 * @param {Inside[]} given.streams
 * @param {Page} given.page
 * @returns {string}
 */
export function reportText({ shown, path, browser, at, streams, page }) {
  const lines = streams.flatMap((stream) => {
    const causes = causeWords(stream);
    return [
      `${stream.name}: ${stream.state}${stream.ending ? ` (${stream.ending.message || stream.ending.code})` : ""}`, `  ${lifeWords(stream)}`, `  ${placeWords(stream)}`,
      ...(causes === "" ? [] : [`  interrupted: ${causes}`]),
    ];
  });
  return [
    `Connections of ${path}: ${shown}`, `${at} (this computer's time), client ${page.client}`,
    `page ${pageWords(page)}; clock ${clockWords(page, streams)}`, `windows: ${windowWords(page)}`, `browser: ${browser}`, "",
    ...lines, "", JSON.stringify({ page, streams }),
  ].join("\n").replaceAll(UNBROKEN, " ");
}

/** @param {number} ms @returns {string} never 0: it has not come yet */
function inSeconds(ms) {
  return `${Math.max(1, Math.ceil(ms / 1000))}${UNBROKEN}s`;
}

/** @param {number} ms @returns {string} 1500 → "1.5" */
function plainSeconds(ms) {
  return String(Number((ms / 1000).toFixed(1)));
}
