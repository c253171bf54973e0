/** The smallest store: a value, and those who want to know when it changes. */

/**
 * @template T
 * @param {T} value
 */
export function createStore(value) {
  let current = value;
  /** @type {Listeners<T>} */
  const listeners = new Listeners();
  return {
    get: () => current,

    /**
     * Every listener is told, whatever the others do; then what they threw is thrown. Whoever
     * has thrown is told again with the next call, of the same value, too: what cannot be shown must not
     * be taken for shown when the same news come once more.
     * @param {T} next the same object means: nothing has changed
     */
    set(next) {
      if (next !== current) listeners.fallBehind();
      current = next;
      throwAll(listeners.tell(() => current));
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

/** @template T */
class Listeners {
  /** @type {Set<(value: T) => void>} */ #all = new Set();
  /** Those that have not taken in the current value. @type {Set<(value: T) => void>} */
  #behind = new Set();

  /** @param {(value: T) => void} listener */
  add(listener) {
    this.#all.add(listener);
  }

  /** @param {(value: T) => void} listener */
  delete(listener) {
    this.#behind.delete(listener);
    this.#all.delete(listener);
  }

  fallBehind() {
    for (const listener of this.#all) this.#behind.add(listener);
  }

  /** Tells those that are behind. @param {() => T} get what is current by then @returns {unknown[]} what they have thrown */
  tell(get) {
    const errors = [];
    for (const listener of [...this.#behind]) {
      // A listener that sets the store has told the others already.
      if (!this.#behind.delete(listener)) continue;
      try {
        listener(get());
      } catch (error) {
        errors.push(error);
        if (this.#all.has(listener)) this.#behind.add(listener);
      }
    }
    return errors;
  }
}

/** @param {unknown[]} errors */
function throwAll(errors) {
  if (errors.length > 1) throw new AggregateError(errors, "several listeners have thrown");
  if (errors.length === 1) throw errors[0];
}

/**
 * A store of what one stream tells: every snapshot begins it anew, every event changes it.
 * @template S, T
 * @param {S} snapshot
 * @param {(snapshot: S) => T} fromSnapshot
 * @param {(state: T, event: { name: string, data: any }) => T} applied
 */
export function createStreamStore(snapshot, fromSnapshot, applied) {
  const { get, set, subscribe } = createStore(fromSnapshot(snapshot));
  return {
    get,
    subscribe,
    reset: (/** @type {S} */ fresh) => set(fromSnapshot(fresh)),
    apply: (/** @type {{ name: string, data: any }} */ event) => set(applied(get(), event)),
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
