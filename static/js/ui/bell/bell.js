/**
 * Makes what is new heard once in all pages that a person has open: one sound, and one notification of the computer if
 * nobody looks at any of them. Which page does it is decided in claims.js; this is its thin shell.
 */

/** @import { ClaimEffect, ClaimEvent, Claims, Item, World } from "./claims.js" */
/** @import { SoundKind } from "./sound.js" */

import { openChannel } from "./channel.js";
import { nextDueMs, readMessage, stepClaims, TAKEN_FOR_MS, waitMs, withoutKey } from "./claims.js";
import { heardMemory } from "./heard.js";
import { Notifier } from "./notifications.js";
import { bellSettings } from "./settings.js";
import { Sounder } from "./sound.js";

/** More at once, as on opening a page after hours, are told in one. */
const MOST_NOTIFICATIONS = 3;
const SEVERAL = "several";

/**
 * @typedef {object} Thing what is to be heard: a version of a notice, or of an answer
 * @property {string} key
 * @property {number} version
 * @property {boolean} critical
 * @property {string} title
 * @property {string} text
 * @property {() => void} show brings it in front of whoever asks for it
 */

/** The bell of one page. */
export class Bell {
  /** @type {Claims} */ #claims = new Map();
  /** @type {Map<string, Thing>} */ #things = new Map();
  /** @type {number | undefined} */ #timer;
  /** @type {Set<() => void>} */ #listeners = new Set();
  #window;
  #name;
  #memory;
  #channel;

  /** @param {Window & typeof globalThis} window @param {{ contest: string, user: number }} whose */
  constructor(window, { contest, user }) {
    this.#window = window;
    this.#name = `fathom/bell/${contest}/${user}`;
    this.#memory = heardMemory(contest, user);
    this.settings = bellSettings(window);
    const told = () => this.#listeners.forEach((listener) => listener());
    this.sounder = new Sounder(window, told);
    this.notifier = new Notifier(window, told);
    this.#channel = openChannel(window, this.#name, (given) => this.#hear(given));
    this.settings.subscribe(told);
    this.sounder.allowByGesture();
  }

  /** @param {() => void} listener called when settings, sound or permission are others */
  onState(listener) {
    this.#listeners.add(listener);
  }

  /**
   * @param {Thing[]} things that are to be heard if they were not yet
   * @param {{ isOpening?: boolean }} [when] they were there when the page was opened. If this browser remembers nothing
   *   from page to page they make no sound: better none than one with every page.
   */
  tell(things, { isOpening = false } = {}) {
    const fresh = things.filter(({ key, version }) => this.#things.get(key)?.version !== version);
    for (const thing of fresh) {
      this.#things.set(thing.key, thing);
      this.notifier.close(thing.key, thing.version);
    }
    const items = fresh.map(({ key, version }) => ({ key, version }));
    if (items.length === 0) return;
    if (isOpening && !this.#memory.remember([])) this.#memory.remember(items);
    this.#step({ type: "news", items });
  }

  /** @param {string} key of what is read or withdrawn */
  forget(key) {
    this.#things.delete(key);
    this.#claims = withoutKey(this.#claims, key);
    this.notifier.close(key);
    if (this.#things.size === 0) this.notifier.close(SEVERAL);
  }

  /** @param {string} key @param {number} version @returns {boolean} in this browser, by this person */
  isHeard(key, version) {
    return this.#memory.look()({ key, version });
  }

  /** @param {unknown} given by another page */
  #hear(given) {
    const message = readMessage(given);
    if (message !== null) this.#step({ type: "message", message });
  }

  /** @param {ClaimEvent} event */
  #step(event) {
    const [claims, effects] = stepClaims(this.#claims, event, this.#world());
    this.#claims = claims;
    for (const effect of effects) this.#carryOut(effect);
    this.#window.clearTimeout(this.#timer);
    const dueMs = nextDueMs(claims);
    if (dueMs === null) return;
    const tick = () => this.#afterWaiting(() => this.#step({ type: "tick" }));
    this.#timer = this.#window.setTimeout(tick, Math.max(0, dueMs - this.#window.performance.now()));
  }

  /** @param {ClaimEffect} effect */
  #carryOut(effect) {
    switch (effect.type) {
      case "post": return this.#channel.post(effect.message);
      case "remember": return void this.#memory.remember(effect.items);
      case "ring": return void this.#ring(effect.items);
    }
  }

  /** @param {(Item & { attended: boolean })[]} items */
  async #ring(items) {
    const rung = items.flatMap(({ key, version, attended }) => {
      const thing = this.#things.get(key);
      return thing?.version === version ? [{ thing, attended }] : [];
    });
    if (rung.length === 0) return;
    const { sound, notifications } = this.settings.get();
    const away = notifications && this.notifier.permission === "granted" ? rung.filter(({ attended }) => !attended) : [];
    const isMute = sound && !this.sounder.isAllowed;
    this.#notify(away.map(({ thing }) => thing), !isMute);
    if (sound) await this.sounder.play(kindOf(rung.map(({ thing }) => thing)));
  }

  /** @param {Thing[]} things @param {boolean} silent the computer's own sound is wanted only where ours is held back */
  #notify(things, silent) {
    const come = (/** @type {Thing} */ thing) => () => {
      this.#window.focus();
      thing.show();
    };
    const [first] = things;
    if (first === undefined) return;
    if (things.length <= MOST_NOTIFICATIONS) {
      for (const thing of things) this.notifier.show(thing, { tag: this.#name, silent, onClick: come(thing) });
      return;
    }
    const text = things.map(({ title }) => title).join(" · ");
    const all = { key: SEVERAL, version: things.length, critical: kindOf(things) === "critical", title: `${things.length} things to read`, text };
    this.notifier.show(all, { tag: this.#name, silent, onClick: come(first) });
  }

  /** @returns {World} */
  #world() {
    const { document, performance } = this.#window;
    const isVisible = document.visibilityState === "visible";
    const attended = isVisible && document.hasFocus();
    const openForMs = this.#channel.openForMs();
    const chance = Math.random();
    const cannotSound = this.settings.get().sound && !this.sounder.isAllowed;
    return {
      nowMs: performance.now(),
      rank: (cannotSound ? 3 : 0) + (attended ? 0 : isVisible ? 1 : 2) + chance,
      attended,
      isNew: openForMs === null || openForMs < TAKEN_FOR_MS,
      waitMs: waitMs(openForMs !== null, chance),
      isHeard: this.#memory.look(),
    };
  }

  /** What others have said while this page was busy is read first: a late timer knows nothing. @param {() => void} run */
  #afterWaiting(run) {
    const { port1, port2 } = new this.#window.MessageChannel();
    port1.onmessage = () => {
      port1.close();
      run();
    };
    port2.postMessage(null);
  }
}

/** @param {Thing[]} things @returns {SoundKind} */
function kindOf(things) {
  return things.some(({ critical }) => critical) ? "critical" : "plain";
}
