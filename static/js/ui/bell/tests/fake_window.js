/** As much of a browser's window as the bell uses, with a clock that tests set. */

/** Channels by name, over all windows. */
const channels = new Map();

export function emptyStorage() {
  const kept = new Map();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value), removeItem: (key) => void kept.delete(key) };
}

/** @param {PropertyDescriptor} how what `localStorage` is, for all windows */
export function withStorage(how) {
  Object.defineProperty(globalThis, "localStorage", { configurable: true, ...how });
}

export class FakeChannel {
  constructor(name) {
    this.name = name;
    channels.set(name, (channels.get(name) ?? new Set()).add(this));
  }
  postMessage(data) {
    if (!channels.get(this.name).has(this)) throw new DOMException("closed", "InvalidStateError");
    for (const other of channels.get(this.name)) if (other !== this) other.onmessage?.({ data: structuredClone(data) });
  }
  close() {
    channels.get(this.name).delete(this);
  }
  static openOn(name) {
    return channels.get(name)?.size ?? 0;
  }
}

/** Begins as `state`; a call of `allow` lets it run, as a gesture does. */
export function fakeAudio(state = "running") {
  const audio = { made: 0, started: [], context: null };
  audio.Context = class {
    constructor() {
      audio.made += 1;
      audio.context = this;
      this.allowed = state === "running";
      this.state = state;
      this.currentTime = 0;
      this.destination = {};
      this.waiting = [];
    }
    allow() {
      this.allowed = true;
      this.state = "running";
      this.waiting.splice(0).forEach((resolve) => resolve());
    }
    resume() {
      if (this.allowed) this.state = "running";
      return this.allowed ? Promise.resolve() : new Promise((resolve) => this.waiting.push(resolve));
    }
    async suspend() {
      this.state = "suspended";
    }
    createGain() {
      return { gain: parameter(), connect: (next) => next };
    }
    createOscillator() {
      const oscillator = { frequency: parameter(), connect: (next) => next, stop: () => undefined };
      return Object.assign(oscillator, { start: () => audio.started.push(oscillator) });
    }
  };
  return audio;
}

const parameter = () => ({ setValueAtTime: () => undefined, exponentialRampToValueAtTime: () => undefined });

/** `window.shown` are the notifications that it has put up. */
export function fakeWindow({ audio = fakeAudio(), permission = "granted", secure = true, visible = true, focus = true, channel = FakeChannel } = {}) {
  const shown = [];
  class FakeNotification {
    static permission = permission;
    static asked = 0;
    static async requestPermission() {
      FakeNotification.asked += 1;
      FakeNotification.permission = "granted";
    }
    constructor(title, options) {
      Object.assign(this, { title, ...options, isOpen: true });
      shown.push(this);
    }
    close() {
      this.isOpen = false;
    }
  }
  let [nowMs, timers, count] = [0, [], 0];
  const window = new EventTarget();
  const turn = { MessageChannel: class { port1 = { close: () => undefined }; port2 = { postMessage: () => this.port1.onmessage?.() }; } };
  const advance = async (ms) => {
    const untilMs = nowMs + ms;
    for (;;) {
      await settled();
      timers.sort((a, b) => a.ms - b.ms || a.id - b.id);
      if (timers.length === 0 || timers[0].ms > untilMs) break;
      const timer = timers.shift();
      nowMs = Math.max(nowMs, timer.ms);
      timer.run();
    }
    nowMs = untilMs;
    await settled();
  };
  return Object.assign(window, {
    shown, advance, ...turn,
    AudioContext: audio.Context,
    BroadcastChannel: channel,
    Notification: FakeNotification,
    isSecureContext: secure,
    focused: 0,
    focus: () => void (window.focused += 1),
    document: { visibilityState: visible ? "visible" : "hidden", hasFocus: () => focus },
    navigator: { userActivation: { hasBeenActive: audio.Context !== undefined && audio.used !== false } },
    performance: { now: () => nowMs },
    setTimeout: (run, ms) => timers.push({ ms: nowMs + ms, run, id: ++count }) && count,
    clearTimeout: (id) => void (timers = timers.filter((timer) => timer.id !== id)),
  });
}

/** Every promise that is settled has been told to whoever waits for it. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));
