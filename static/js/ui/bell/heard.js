/**
 * What this person has been told by sound in this browser: the newest version of each notice and answer. Kept for one
 * user and one contest, at most so many, the longest untouched go first. Where the browser keeps nothing, the page
 * itself remembers as long as it is open.
 */

/** @import { Item } from "./claims.js" */

import { keep, recall } from "../storage.js";

/** More than a contest has notices; a few kilobytes. */
export const MOST_HEARD = 300;

/** @typedef {ReadonlyMap<string, number>} Heard key → newest version, the longest untouched first */

/** @param {string} contest slug @param {number} user id */
export function heardMemory(contest, user) {
  const name = `fathom/heard/${contest}/${user}`;
  /** @type {Heard} */
  let here = new Map();
  const read = () => (here = withHeard(recall(name, readHeard), [...here].map(([key, version]) => ({ key, version }))));
  return {
    /** @returns {(item: Item) => boolean} looks into the browser's memory once, when it is first asked */
    look() {
      /** @type {Heard | null} */
      let heard = null;
      return ({ key, version }) => ((heard ??= read()).get(key) ?? 0) >= version;
    },

    /** @param {Item[]} items @returns {boolean} whether the next page will know it, too */
    remember(items) {
      here = withHeard(read(), items);
      return keep(name, [...here]);
    },
  };
}

/** @param {Heard} heard @param {Item[]} items @returns {Heard} */
export function withHeard(heard, items) {
  const next = new Map(heard);
  for (const { key, version } of items) {
    const newest = Math.max(version, next.get(key) ?? 0);
    next.delete(key);
    next.set(key, newest);
  }
  return new Map([...next].slice(-MOST_HEARD));
}

/** @param {unknown} kept @returns {Heard} what of it a page like this one has written */
export function readHeard(kept) {
  const pairs = Array.isArray(kept) ? kept.filter((pair) => Array.isArray(pair) && typeof pair[0] === "string" && Number.isSafeInteger(pair[1])) : [];
  return new Map(pairs.map(([key, version]) => [key, version]));
}
