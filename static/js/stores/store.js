/** The smallest store: a value, and those who want to know when it changes. */

/**
 * @template T
 * @param {T} value
 */
export function createStore(value) {
  let current = value;
  /** @type {Set<(value: T) => void>} */
  const listeners = new Set();
  /** Those that have not taken in the current value. @type {Set<(value: T) => void>} */
  const behind = new Set();
  /** @param {(value: T) => void} listener @returns {unknown[]} what it has thrown, if anything */
  const tell = (listener) => {
    // A listener that sets the store has told the others already.
    if (!behind.delete(listener)) return [];
    try {
      listener(current);
      return [];
    } catch (error) {
      if (listeners.has(listener)) behind.add(listener);
      return [error];
    }
  };
  return {
    get: () => current,

    /**
     * Every listener is told, whatever the others do; then what they threw is thrown. Whoever
     * has thrown is told again with the next call, of the same value, too: what cannot be shown must not
     * be taken for shown when the same news come once more.
     * @param {T} next the same object means: nothing has changed
     */
    set(next) {
      if (next !== current) for (const listener of listeners) behind.add(listener);
      current = next;
      throwAll([...behind].flatMap(tell));
    },

    /**
     * @param {(value: T) => void} listener called at once and with every change
     * @returns {() => void} ends it
     */
    subscribe(listener) {
      listeners.add(listener);
      listener(current);
      return () => {
        behind.delete(listener);
        return listeners.delete(listener);
      };
    },
  };
}

/** @param {unknown[]} errors */
function throwAll(errors) {
  if (errors.length > 1) throw new AggregateError(errors, "several listeners have thrown");
  if (errors.length === 1) throw errors[0];
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
