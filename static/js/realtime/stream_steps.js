/** Turns of phrase that several parts of a stream use. */

/** @import { Settled } from "./types.js" */
/** @import { OuterEffect, Step, Stream, Why } from "./machine_types.js" */

/**
 * The stream asks for fail(), the one way in which a socket ends.
 * @param {Stream} stream
 * @param {Why} why
 * @returns {Step}
 */
export function failing(stream, why) {
  return [stream, [{ type: "fail", why }]];
}

/**
 * Commands that have their outcome.
 * @param {Settled[]} settled
 * @returns {OuterEffect[]}
 */
export function settlements(settled) {
  return settled.map((each) => ({ type: "settle", ...each }));
}
