/** The five streams of a contest page: what the realtime library has to be told about each of them. */

/** @import { CommandOptions } from "../realtime/handles.js" */

/**
 * @typedef {"announcements" | "records" | "record" | "selftest" | "timer"} StreamName
 * @typedef {Record<string, { epoch: string, seq: number }>} Cursor
 * @typedef {{ url: string, cursor: Cursor | null, data: any }} PageStream as in the page's JSON; no cursor: start with a snapshot
 */

/** @type {Readonly<Record<StreamName, { keepHidden?: boolean, preferred?: boolean, mostBytes?: number,
 *   timeCommand?: { name: string, data: object } }>>} */
const OPTIONS = Object.freeze({
  // Carries notices and one's own final verdicts: the one thing that a hidden page still needs.
  // Its `delivered` without notices changes nothing: a page that reports no time asks for the clock by it.
  announcements: { keepHidden: true, timeCommand: { name: "delivered", data: { notices: [] } } },
  records: {},
  record: {},
  // Source and input of up to 256 KiB each, which JSON may double.
  selftest: { mostBytes: 1_048_576 },
  // The lease is shortest-lived: after a common failure the timer tries first.
  timer: { preferred: true },
});

/** @type {Readonly<Record<string, CommandOptions>>} */
const COMMANDS = Object.freeze({
  delivered: {},
  ack: {},
  // Typed by a person: waits for long, and never goes without an outcome.
  ask: { expiresMs: 600_000 },
  watch: { kind: "watch", again: false },
  // One at a time for a contestant: `busy` is an answer here.
  run: { kind: "run", patient: false },
  cancel: { kind: "cancel" },
  // Never sent again, a fresh one takes its place; any frame after it proves the path.
  report: { kind: "report", again: false, patient: false, provesPath: true, expiresMs: 30_000 },
});

/**
 * @param {StreamName} name
 * @param {PageStream} stream
 * @returns what `Link.open` takes, without the handlers
 */
export function streamOptions(name, { url, cursor }) {
  return { name, url, cursor, ...OPTIONS[name] };
}

/**
 * The second way for a contest's streams, where WebSockets do not pass.
 * @param {string} contest
 */
export function fallbackOptions(contest) {
  return {
    eventsUrl: `/rt/${contest}/events`,
    commandsUrl: `/rt/${contest}/commands`,
    nameOf: (/** @type {string} */ url) => {
      const last = url.slice(url.lastIndexOf("/") + 1);
      return url.startsWith("/ws/records/") ? `record/${last}` : last;
    },
    csrfToken: () => /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie)?.[1] ?? "",
  };
}

/**
 * @param {string} name
 * @returns {CommandOptions} what `StreamHandle.command` and `.standing` take
 */
export function commandOptions(name) {
  return COMMANDS[name] ?? {};
}
