/** Saves a moment after the last keystroke, and at once when the page goes out of sight: it may never come back. */

const SAVE_AFTER_MS = 400;

/**
 * @param {() => void} save
 * @returns {{ soon: () => void, now: () => void }}
 */
export function saveSoon(save) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const now = () => {
    clearTimeout(timer);
    timer = undefined;
    save();
  };
  const flush = () => { if (timer !== undefined) now(); };
  addEventListener("pagehide", flush);
  addEventListener("visibilitychange", () => document.visibilityState === "hidden" && flush(), { capture: true });
  return {
    soon() {
      clearTimeout(timer);
      timer = setTimeout(now, SAVE_AFTER_MS);
    },
    now,
  };
}
