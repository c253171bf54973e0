/**
 * A text that arrives in pieces, each with the number of UTF-8 bytes before it. Pieces may come in
 * any order, twice or overlapping: no byte is lost and none is doubled.
 */

/**
 * @typedef {object} Output
 * @property {string} text everything up to the first hole
 * @property {number} bytes its length as UTF-8
 * @property {ReadonlyMap<number, string>} ahead pieces beyond the hole, by offset
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** @type {Output} */
export const EMPTY_OUTPUT = Object.freeze({ text: "", bytes: 0, ahead: new Map() });

/**
 * @param {Output} output
 * @param {{ offset: number, text: string }} piece
 * @returns {Output}
 */
export function withPiece(output, { offset, text }) {
  if (offset > output.bytes) return { ...output, ahead: longest(output.ahead, offset, text) };
  const joined = joinedAt(output, offset, text);
  return joined === output ? output : closeHoles(joined);
}

/** @param {Output} output @param {number} offset not beyond the end @param {string} text @returns {Output} */
function joinedAt(output, offset, text) {
  const bytes = encoder.encode(text);
  const known = output.bytes - offset;
  if (bytes.length <= known) return output;
  const fresh = known === 0 ? text : decoder.decode(bytes.subarray(known));
  return { ...output, text: output.text + fresh, bytes: offset + bytes.length };
}

/** @param {Output} output @returns {Output} */
function closeHoles(output) {
  let next = output;
  for (const [offset, text] of [...output.ahead].sort(([a], [b]) => a - b)) {
    if (offset <= next.bytes) next = joinedAt(next, offset, text);
  }
  return { ...next, ahead: new Map([...next.ahead].filter(([offset]) => offset > next.bytes)) };
}

/** @param {ReadonlyMap<number, string>} ahead @param {number} offset @param {string} text */
function longest(ahead, offset, text) {
  const known = ahead.get(offset);
  return known !== undefined && known.length >= text.length ? ahead : new Map(ahead).set(offset, text);
}
