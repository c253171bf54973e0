/**
 * What a person has sent by a form, until the server has answered: a pure state machine. One thing at a time;
 * it is repeated under its own key, so however often it goes it is stored once.
 */

/** @import { Answer } from "./posting.js" */

import { assertNever } from "../realtime/assert_never.js";
import { LEAVES_WITHIN_MS } from "./leaves_within.js";

/**
 * @typedef {"idle" | "sending" | "held" | "offered" | "refused" | "sent" | "dropped" | "stopped"} Phase
 *   held: without an answer; offered: found when the page was loaded, and nobody has said yet that it should go;
 *   stopped: this page belongs to somebody who is not signed in here any more
 *
 * @typedef {object} Outbox
 * @property {Phase} phase
 * @property {boolean} patient sent again by itself when the connection is back
 * @property {boolean} live whether the connection is proven
 * @property {boolean} tried whether it may have arrived
 * @property {boolean} fresh the person has just pressed the button and waits
 * @property {boolean} leaving for the page of what was sent, unless somebody stops that
 * @property {number} failures in a row
 * @property {number} stale answers in a row that the form is out of date
 * @property {"away" | "signed-out" | "out-of-date" | ""} why it is held
 * @property {string} words of the server, or of the network
 * @property {string} location
 * @property {boolean} elsewhere another page has taken it back, or has its answer: what is on its way cannot be called
 *   back, and nothing follows it
 *
 * @typedef {{ type: "submit" } | { type: "found" }
 *   | { type: "answer", answer: Answer }
 *   | { type: "live", live: boolean }
 *   | { type: "due" } | { type: "try" } | { type: "drop" }
 *   | { type: "done-elsewhere", location?: string }
 *   | { type: "session", who: "same" | "out" | "other", words?: string }} Event done-elsewhere: with where it is, if it was stored
 *
 * @typedef {{ type: "post" } | { type: "keep" } | { type: "forget" }
 *   | { type: "wait", ms: number | null }
 *   | { type: "ask-path" } | { type: "ask-session" }
 *   | { type: "leave", location: string }} Effect wait: `due` after so long, null: not at all;
 *     ask-path: the connection may be dead without knowing it yet
 */

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 60_000;
/** Everybody's connection comes back at the same moment. */
const SPREAD_MS = 1_000;
/** A fresh token that is refused like the old one: cookies are switched off. */
const MOST_STALE = 2;
const BUSY = new Set(["sending", "held"]);

/** @param {{ patient: boolean, live: boolean }} options @returns {Outbox} */
export function emptyOutbox({ patient, live }) {
  return {
    phase: "idle", patient, live, tried: false, fresh: false, leaving: false, failures: 0, stale: 0, why: "",
    words: "", location: "", elsewhere: false,
  };
}

/** @param {Outbox} box @returns {boolean} whether nothing else can be sent now */
export function isBusy({ phase, leaving }) {
  return BUSY.has(phase) || phase === "stopped" || leaving;
}

/**
 * @param {Outbox} box
 * @param {Event} event
 * @param {() => number} chance
 * @returns {[Outbox, Effect[]]}
 */
export function stepOutbox(box, event, chance) {
  switch (event.type) {
    case "submit":
      if (isBusy(box)) return [box, []];
      return posting({ ...emptyOutbox(box), fresh: true }, [{ type: "keep" }]);
    case "found": return box.phase === "idle" ? [{ ...box, phase: "offered", tried: true }, []] : [box, []];
    case "answer": return box.phase === "sending" ? settled(onAnswer(box, event.answer, chance)) : [box, []];
    case "live": return onLive(box, event.live, chance);
    case "due": return onDue(box);
    case "try": return box.phase === "held" || box.phase === "offered" ? posting(box) : [box, []];
    case "drop": return onDrop(box);
    case "done-elsewhere": return onDoneElsewhere(box, event.location ?? "");
    case "session": return onSession(box, event);
    default: return assertNever(event);
  }
}

/** @param {Outbox} box @param {Effect[]} [before] @returns {[Outbox, Effect[]]} */
function posting(box, before = []) {
  return [{ ...box, phase: "sending", tried: true }, [...before, { type: "wait", ms: null }, { type: "post" }]];
}

/** @param {Outbox} box @param {Answer} answer @param {() => number} chance @returns {[Outbox, Effect[]]} */
function onAnswer(box, answer, chance) {
  switch (answer.kind) {
    case "done": return onDone(box, answer.location);
    case "refused": return [{ ...box, phase: "refused", words: answer.words }, [{ type: "forget" }]];
    case "other-user": return [{ ...box, phase: "stopped", words: answer.words }, [{ type: "ask-session" }]];
    case "signed-out": return [{ ...held(box, "signed-out"), words: "" }, [{ type: "ask-session" }]];
    case "out-of-date": return onStale(box);
    case "away": {
      const next = { ...held(box, "away"), words: answer.words, failures: box.failures + 1 };
      return [next, [{ type: "ask-path" }, { type: "wait", ms: pauseMs(next, answer.retryMs, chance) }]];
    }
    default: return assertNever(answer);
  }
}

/**
 * Whoever waits is led there; later, or where it was taken back, that would tear somebody out of what they are writing.
 * @param {Outbox} box
 * @param {string} location
 * @returns {[Outbox, Effect[]]}
 */
function onDone(box, location) {
  const fresh = box.fresh && !box.elsewhere;
  const sent = { ...box, phase: /** @type {const} */ ("sent"), fresh, leaving: fresh, location };
  if (!fresh) return [sent, [{ type: "forget" }]];
  return [sent, [{ type: "forget" }, { type: "leave", location }, { type: "wait", ms: LEAVES_WITHIN_MS }]];
}

/** A page that is still there then goes on. @param {Outbox} box @returns {[Outbox, Effect[]]} */
function onDue(box) {
  if (box.leaving) return [{ ...box, leaving: false }, []];
  return box.phase === "held" && box.why === "away" && box.live ? posting(box) : [box, []];
}

/** The token of the page is not the session's: whose session is it? @param {Outbox} box @returns {[Outbox, Effect[]]} */
function onStale(box) {
  if (box.stale >= MOST_STALE) {
    const words = "This page is out of date. Reload it; what you typed is kept.";
    return [{ ...box, phase: "refused", words }, []];
  }
  return [{ ...held(box, "out-of-date"), fresh: box.fresh, stale: box.stale + 1 }, [{ type: "ask-session" }]];
}

/** @param {Outbox} box @param {"away" | "signed-out" | "out-of-date"} why @returns {Outbox} */
function held(box, why) {
  return { ...box, phase: "held", why, fresh: false };
}

/** @param {Outbox} box @param {number | null} retryMs @param {() => number} chance @returns {number | null} */
function pauseMs({ patient, live, failures }, retryMs, chance) {
  if (!patient || !live) return null;
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
  return Math.max(retryMs ?? 0, waitMs) * (1 + 0.5 * chance());
}

/** @param {Outbox} box @param {boolean} live @param {() => number} chance @returns {[Outbox, Effect[]]} */
function onLive(box, live, chance) {
  if (live === box.live) return [box, []];
  const next = { ...box, live };
  if (box.phase !== "held" || box.why !== "away" || !box.patient) return [next, []];
  return [next, [{ type: "wait", ms: live ? SPREAD_MS * chance() : null }]];
}

/** @param {Outbox} box @returns {[Outbox, Effect[]]} */
function onDrop(box) {
  if (!["held", "offered", "refused"].includes(box.phase)) return [box, []];
  const phase = box.phase === "refused" ? "idle" : "dropped";
  return [{ ...emptyOutbox(box), phase, tried: box.tried }, [{ type: "forget" }, { type: "wait", ms: null }]];
}

/** @param {Outbox} box @param {string} location @returns {[Outbox, Effect[]]} */
function onDoneElsewhere(box, location) {
  const next = { ...box, elsewhere: true, location: location || box.location };
  if (box.phase === "sending") return [next, []];
  if (box.phase === "offered" || box.phase === "held") return [ended(next), [{ type: "wait", ms: null }]];
  return location !== "" && (box.phase === "dropped" || box.phase === "refused") ? [ended(next), []] : [box, []];
}

/** What came of a post: one without an answer is followed by no other. @param {[Outbox, Effect[]]} step @returns {[Outbox, Effect[]]} */
function settled([box, effects]) {
  if (!box.elsewhere || box.phase !== "held") return [box, effects];
  return [ended(box), [...effects.filter(({ type }) => type !== "wait"), { type: "wait", ms: null }]];
}

/** @param {Outbox} box done with on another page @returns {Outbox} */
function ended(box) {
  return { ...box, phase: box.location === "" ? "dropped" : "sent", fresh: false };
}

/** @param {Outbox} box @param {Extract<Event, { type: "session" }>} event @returns {[Outbox, Effect[]]} */
function onSession(box, { who, words = "" }) {
  if (who === "other") return [{ ...box, phase: "stopped", words }, [{ type: "wait", ms: null }]];
  if (box.phase !== "held") return [box, []];
  if (who === "out") return [{ ...box, why: "signed-out", fresh: false }, [{ type: "wait", ms: null }]];
  if (box.why === "away") return [box, []];
  // A token that has grown old is no reason to ask the person; a new session is one, unless they have seen it waiting.
  return box.patient || box.why === "out-of-date" ? posting(box) : [box, []];
}
