/** How this browser tells of notices: kept for everybody who uses it, and the same on all open pages at once. */

import { createStore } from "../../stores/store.js";
import { keep, recall } from "../storage.js";

const NAME = "fathom/bell";

/**
 * @typedef {object} BellSettings
 * @property {boolean} sound
 * @property {boolean} notifications the browser's permission is another matter
 */

/** @param {Window} window */
export function bellSettings(window) {
  const store = createStore(recall(NAME, readSettings));
  window.addEventListener("storage", ({ key }) => (key === NAME || key === null) && store.set(recall(NAME, readSettings)));
  return {
    get: store.get,
    subscribe: store.subscribe,

    /** @param {Partial<BellSettings>} change @returns {boolean} whether the browser keeps it for other pages */
    change(change) {
      store.set({ ...store.get(), ...change });
      return keep(NAME, store.get());
    },
  };
}

/** @param {any} kept @returns {BellSettings} what nobody has chosen is on */
export function readSettings(kept) {
  return { sound: kept?.sound !== false, notifications: kept?.notifications !== false };
}
