/**
 * Notifications of the computer, for whoever looks at something else. Nothing asks for permission but a button that a
 * person presses. One of a kind stands for one version of a notice, so a second of the same takes its place without
 * another alert; it goes when the notice is read, changed or withdrawn.
 */

/** @typedef {"granted" | "denied" | "default" | "insecure" | "missing"} Permission what this browser allows this site */

const MOST_TEXT = 180;

/** @param {Window & typeof globalThis} window @returns {Permission} */
export function permissionIn(window) {
  if (!window.isSecureContext) return "insecure";
  if (typeof window.Notification !== "function") return "missing";
  return window.Notification.permission;
}

/** @param {string} text @returns {string} one line, shortened */
export function notificationText(text) {
  const line = text.trim().replace(/\s+/g, " ");
  return [...line].length > MOST_TEXT ? `${[...line].slice(0, MOST_TEXT - 1).join("").trimEnd()}…` : line;
}

/** The notifications that one page has put up. */
export class Notifier {
  /** @type {Map<string, { version: number, notification: Notification }>} */ #shown = new Map();
  #isBroken = false;
  #window;
  #onState;

  /** @param {Window & typeof globalThis} window @param {() => void} onState */
  constructor(window, onState) {
    this.#window = window;
    this.#onState = onState;
    // The permission may be changed in the browser's own settings while the page is open.
    window.navigator.permissions?.query({ name: "notifications" }).then((status) => {
      status.onchange = onState;
    }, () => undefined);
  }

  /** @returns {Permission} */
  get permission() {
    return this.#isBroken ? "missing" : permissionIn(this.#window);
  }

  /** Only from a button: a browser that is asked out of the blue is told no. */
  async ask() {
    try {
      await this.#window.Notification.requestPermission();
    } catch {
      this.#isBroken = true;
    }
    this.#onState();
  }

  /**
   * @param {{ key: string, version: number, critical: boolean, title: string, text: string }} thing one that is critical stays until it is clicked
   * @param {{ tag: string, silent: boolean, onClick: () => void }} how
   */
  show({ key, version, critical, title, text }, { tag, silent, onClick }) {
    try {
      const options = { body: notificationText(text), tag: `${tag}/${key}/${version}`, silent, requireInteraction: critical };
      const notification = new this.#window.Notification(title, options);
      this.close(key);
      this.#shown.set(key, { version, notification });
      notification.onclick = () => {
        notification.close();
        onClick();
      };
    } catch {
      // Some telephones show only notifications of installed applications, and say so by throwing.
      this.#isBroken = true;
      this.#onState();
    }
  }

  /** @param {string} key @param {number} [unlessVersion] the one that may stay */
  close(key, unlessVersion) {
    const shown = this.#shown.get(key);
    if (shown === undefined || shown.version === unlessVersion) return;
    this.#shown.delete(key);
    shown.notification.close();
  }
}
