/**
 * What is said of a button that was pressed, until the server has answered: by the proven state of the stream that
 * carries it, from the press on and with every change.
 */

/** @import { CommandHandle, StreamHandle } from "../realtime/handles.js" */

export const SENDING = "sending …";
/** A connection in doubt has taken the command, too; whether it arrives nobody knows. */
const CARRYING = new Set(["live", "checking"]);

/**
 * @param {StreamHandle} stream
 * @param {CommandHandle} command that was given to it just now
 * @param {(words: string) => void} say called at once, and whenever there is something else to say
 */
export function sayPress(stream, command, say) {
  let [state, isOut, said] = ["", false, ""];
  const look = () => {
    if (command.outcome !== null) return;
    isOut ||= CARRYING.has(state);
    const words = pressWords(state, isOut, command.unconfirmed);
    if (words !== said) say((said = words));
  };
  const stop = stream.watch((shown) => {
    ({ state } = shown);
    look();
  });
  look();
  command.onUnconfirmed(look).onSettled(stop);
}

/**
 * @param {string} state of the stream
 * @param {boolean} isOut whether a connection has taken it
 * @param {boolean} unconfirmed without an answer for long
 * @returns {string}
 */
export function pressWords(state, isOut, unconfirmed) {
  if (!isOut) return "not sent yet: waiting for the connection";
  if (state !== "live") return "not confirmed yet: waiting for the connection";
  return unconfirmed ? "not confirmed yet: waiting for the server" : SENDING;
}
