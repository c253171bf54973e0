/** The smallest store: a value, and those who want to know when it changes. */

/**
 * @template T
 * @param {T} value
 */
export function createStore(value) {
  let current = value;
  /** @type {Set<(value: T) => void>} */
  const listeners = new Set();
  return {
    get: () => current,

    /** @param {T} next the same object means: nothing has changed */
    set(next) {
      if (next === current) return;
      current = next;
      for (const listener of [...listeners]) listener(current);
    },

    /**
     * @param {(value: T) => void} listener called at once and with every change
     * @returns {() => void} ends it
     */
    subscribe(listener) {
      listeners.add(listener);
      listener(current);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * The newest of two versions of one object. Any order and any repetition give the same result.
 * @template {{ version: number }} T
 * @param {T | undefined} known
 * @param {T} arrived
 * @returns {T}
 */
export function newest(known, arrived) {
  return known !== undefined && known.version >= arrived.version ? known : arrived;
}
