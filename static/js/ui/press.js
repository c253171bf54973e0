/**
 * What is said of a button that was pressed, until the server has answered: by whether a connection has taken it
 * and by the proven state of the stream that carries it, from the press on and with every change.
 */

/** @import { CommandHandle, StreamHandle } from "../realtime/handles.js" */

export const SENDING = "sending …";

/**
 * @param {StreamHandle} stream
 * @param {CommandHandle} command that was given to it just now
 * @param {(words: string) => void} say called at once, and whenever there is something else to say
 */
export function sayPress(stream, command, say) {
  let [state, said] = ["", ""];
  const look = () => {
    if (command.outcome !== null) return;
    const words = pressWords(state, command.isSent, command.unconfirmed);
    if (words !== said) say((said = words));
  };
  const stop = stream.watch((shown) => {
    ({ state } = shown);
    look();
  });
  look();
  command.onSent(look).onUnconfirmed(look).onSettled(stop);
}

/**
 * @param {string} state of the stream
 * @param {boolean} isSent whether a connection has taken it
 * @param {boolean} unconfirmed without an answer for long
 * @returns {string}
 */
export function pressWords(state, isSent, unconfirmed) {
  if (!isSent) return "not sent yet: waiting for the connection";
  if (state !== "live") return "not confirmed yet: waiting for the connection";
  return unconfirmed ? "not confirmed yet: waiting for the server" : SENDING;
}
