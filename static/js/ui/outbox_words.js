/** What is said of something that was sent by a form. */

/** @import { Outbox } from "./outbox.js" */

import { assertNever } from "../realtime/assert_never.js";

/**
 * @typedef {object} Said
 * @property {string} words
 * @property {"" | "wait" | "bad" | "good"} tone
 * @property {boolean} canTry
 * @property {boolean} canDrop
 */

const SIGN_IN = "Sign in again in a new tab";
const ONCE = "It is stored once, however often it is sent.";
const NOWHERE_ELSE = " A reload would lose it: keep this page open.";

/**
 * @param {Outbox} box
 * @param {{ what: string, since: string, look: string, isKept?: boolean, isShut?: boolean }} names `what` "Your solution",
 *   `since` when it was written, `look` where to see whether it has arrived, `isKept` whether a reload would find it,
 *   `isShut` whether the server takes nothing from this person now
 * @returns {Said}
 */
export function saidOf(box, { what, since, look, isKept = true, isShut = false }) {
  const only = isKept ? "" : NOWHERE_ELSE;
  switch (box.phase) {
    case "idle": return said("", "");
    case "sending":
      if (box.elsewhere) return said(takenBack(box, look), "wait");
      if (box.failures > 0) return said(`${doubt(box, what)} Sending it again …${only}`, "bad");
      return said(box.live ? "Sending …" : `${what} waits for the connection; trying to send it all the same …${only}`, "wait");
    case "held": return { ...said(heldWords(box, what, isShut) + only, "bad"), canTry: box.why === "away" ? !isShut : !box.patient, canDrop: true };
    case "offered": return {
      ...said(`${what} of ${since} was sent without an answer. It may have arrived: ${look}. Send it again? ${ONCE}`, "wait"),
      canTry: true, canDrop: true,
    };
    case "refused": return { ...said(`Not sent: ${box.words} What you typed stays here.`, "bad"), canDrop: true };
    case "sent": return said(box.fresh ? "Sent." : `${what} is sent.`, "good");
    case "dropped": return said(takenBack(box, look), "wait");
    case "stopped": return said(`Not sent: ${box.words}`, "bad");
    default: return assertNever(box.phase);
  }
}

/** Nobody can call back what is on its way, from this page or another. @param {Outbox} box @param {string} look */
function takenBack({ elsewhere }, look) {
  const who = elsewhere ? "Another page has taken it back, or has its answer. " : "";
  return `${who}It is not sent again; what was already on its way may still be stored: ${look}.`;
}

/** @param {Outbox} box @param {string} what @param {boolean} isShut @returns {string} */
function heldWords(box, what, isShut) {
  if (box.why === "signed-out") {
    const then = box.patient ? "it is sent as soon as you have" : "then try again";
    const state = box.failures > 0 ? "not confirmed" : "not sent yet";
    return `${what} is ${state}: you are signed out. ${SIGN_IN}; ${then}.`;
  }
  if (box.why === "out-of-date") return `${what} is not sent yet: finding out who is signed in here …`;
  return `${doubt(box, what)} ${isShut ? "It cannot be sent now, and is kept." : `${nextWords(box)} ${ONCE}`}`;
}

/** @param {Outbox} box */
function nextWords({ patient, live }) {
  if (patient) return live ? "It will be tried again in a moment." : "It will be sent when the connection is back.";
  return live ? "The page is live: if it is still right, try now." : "Try again when the page is live.";
}

/** @param {Outbox} box @param {string} what */
function doubt({ words }, what) {
  return `${what} is not confirmed: ${words.replace(/\.$/, "")}.`;
}

/** @param {string} words @param {Said["tone"]} tone @returns {Said} */
function said(words, tone) {
  return { words, tone, canTry: false, canDrop: false };
}
