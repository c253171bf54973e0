/**
 * What this browser remembers, as JSON by key, in a storage that may be full or switched off. Ask for `localStorage`
 * and `sessionStorage` by name: where they are switched off, even looking at them throws.
 */

/** @typedef {"localStorage" | "sessionStorage"} Kind all tabs and for good, or one tab as long as it is open */

/**
 * What was kept may have been written by another version of the site or by hand: nothing comes in but through a reader.
 * @template [Kept=unknown]
 * @param {string} key
 * @param {(kept: any) => Kept} [read] what of it a page like this one has written; told null where there is nothing, or
 *   something that it stumbles over
 * @param {Kind} [kind]
 * @returns {Kept}
 */
export function recall(key, read = (kept) => kept, kind = "localStorage") {
  return parsed(stored(key, kind), read);
}

/** @param {string} key @param {Kind} kind @returns {string | null} */
function stored(key, kind) {
  try {
    return globalThis[kind].getItem(key);
  } catch {
    return null;
  }
}

/**
 * What stands in a storage, or stood there.
 * @template Kept
 * @param {string | null} text
 * @param {(kept: any) => Kept} read
 * @returns {Kept}
 */
export function parsed(text, read) {
  try {
    return read(JSON.parse(text ?? "null"));
  } catch {
    return read(null);
  }
}

/** @param {unknown} kept @returns {string | null} */
export function readString(kept) {
  return typeof kept === "string" ? kept : null;
}

/**
 * @param {string} key
 * @param {unknown} value null: keep nothing under this key
 * @param {Kind} [kind]
 * @returns {boolean} whether that is so now
 */
export function keep(key, value, kind = "localStorage") {
  try {
    const storage = globalThis[kind];
    if (value === null) storage.removeItem(key);
    else storage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** Said beside what is typed, where that is so. */
export const NOT_KEPT = "This browser keeps no drafts: copy your text before you leave.";

/** @param {string} key */
export function forget(key) {
  keep(key, null);
}

/** @param {string} prefix @returns {string[]} keys of what is kept for good */
export function keysOf(prefix) {
  try {
    return Object.keys(globalThis.localStorage).filter((key) => key.startsWith(prefix));
  } catch {
    return [];
  }
}

/** @param {unknown} value @returns {value is string} a time as pages write it: what another version or a hand wrote may be none */
export function isMoment(value) {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
