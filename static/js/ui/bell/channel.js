/**
 * What the pages of one person in one contest say to each other. It is closed when a page is left, or it would keep the
 * page out of the back-forward cache, and opened again when the page comes back. Where there is no BroadcastChannel a
 * page says nothing and hears nothing.
 */

/**
 * @typedef {object} Channel
 * @property {(message: object) => void} post
 * @property {() => number | null} openForMs how long it has been listening; null: it is not
 */

/**
 * @param {Window & typeof globalThis} window
 * @param {string} name
 * @param {(message: any) => void} onMessage
 * @returns {Channel}
 */
export function openChannel(window, name, onMessage) {
  /** @type {BroadcastChannel | null} */
  let channel = null;
  let sinceMs = 0;
  const open = () => {
    channel ??= created(window, name);
    sinceMs = window.performance.now();
    if (channel !== null) channel.onmessage = ({ data }) => onMessage(data);
  };
  const reopen = () => channel === null && open();
  window.addEventListener("pagehide", () => {
    channel?.close();
    channel = null;
  });
  // A page that was told goodbye but stayed is used again without being shown again.
  for (const name of ["pageshow", "pointerdown", "keydown"]) window.addEventListener(name, reopen, { capture: true, passive: true });
  open();
  return {
    post: (message) => channel?.postMessage(message),
    openForMs: () => (channel === null ? null : window.performance.now() - sinceMs),
  };
}

/** @param {Window & typeof globalThis} window @param {string} name @returns {BroadcastChannel | null} */
function created({ BroadcastChannel }, name) {
  try {
    return new BroadcastChannel(name);
  } catch {
    return null;
  }
}
