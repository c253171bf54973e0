/** The browser as the driver sees it. Tests give another one. */

/** @import { PageEventName } from "./machine_types.js" */
/** @import { Environment, EventsOptions, Transport } from "./outer_types.js" */

import { eventsTransport } from "./events_transport.js";

/** Sent when this side closes; servers take it for an orderly end. */
const NORMAL = 1000;

/**
 * @param {Window & typeof globalThis} window
 * @param {Omit<EventsOptions, "request" | "turn">} [events] where WebSockets do not pass; none: they are tried for ever
 * @returns {Environment}
 */
export function browserEnvironment(window, events) {
  const { document, navigator, performance } = window;
  return {
    read: () => ({ monoMs: performance.now(), wallMs: Date.now(), random: Math.random }),
    setTimer: (run, ms) => window.setTimeout(run, ms),
    clearTimer: (timer) => window.clearTimeout(timer),
    turn: turnBy(window.MessageChannel),
    transport: webSocketTransport(window.WebSocket, window.location),
    ...(events === undefined ? {} : { fallback: eventsTransport({ ...events, request: requestBy(window), turn: turnBy(window.MessageChannel) }) }),
    newClientId: () => hex(window.crypto.getRandomValues(new Uint8Array(16))),
    page: () => ({ visible: document.visibilityState === "visible", offline: navigator.onLine === false }),
    listen: (tell) => listen(window, tell),
    report: (error) => window.console.error(error),
    expose: (inside) => Object.assign(window, { fathom: { ...Reflect.get(window, "fathom"), ...inside } }),
  };
}

/**
 * @param {typeof WebSocket} WebSocketClass
 * @param {{ protocol: string, host: string }} location paths are opened on the page's own host
 * @returns {Transport}
 */
export function webSocketTransport(WebSocketClass, location) {
  const origin = `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}`;
  return {
    name: "websocket",
    open(url, handlers) {
      const socket = new WebSocketClass(url.startsWith("/") ? origin + url : url);
      socket.onopen = () => handlers.onOpen();
      socket.onmessage = ({ data }) => (typeof data === "string" ? handlers.onText(data) : handlers.onBinary());
      socket.onclose = ({ code }) => handlers.onClose(code);
      socket.onerror = () => handlers.onError();
      return { send: (text) => socket.send(text), retire: () => retire(socket), readyState: () => socket.readyState };
    },
  };
}

/**
 * Given up by whoever asked, or when its time is over. (`AbortSignal.any` is too young.)
 * @param {Window & typeof globalThis} window
 * @returns {EventsOptions["request"]}
 */
function requestBy(window) {
  return (url, init, withinMs) => {
    if (withinMs === undefined) return window.fetch(url, init);
    const either = new AbortController();
    for (const signal of [init.signal, AbortSignal.timeout(withinMs)]) {
      signal?.addEventListener("abort", () => either.abort(signal.reason), { once: true });
    }
    return window.fetch(url, { ...init, signal: either.signal });
  };
}

/** Handlers first: what a closing socket still has to say is nobody's business. @param {WebSocket} socket */
function retire(socket) {
  socket.onopen = socket.onmessage = socket.onclose = socket.onerror = null;
  socket.close(NORMAL);
}

/**
 * A message to oneself: it comes after what is waiting to be read, and is not throttled as timers are.
 * @param {typeof MessageChannel} Channel
 * @returns {(run: () => void) => void}
 */
function turnBy(Channel) {
  return (run) => {
    const { port1, port2 } = new Channel();
    port1.onmessage = () => {
      port1.close();
      run();
    };
    port2.postMessage(null);
  };
}

/**
 * @param {Window & typeof globalThis} window
 * @param {(what: PageEventName) => void} tell
 * @returns {() => void} ends it
 */
function listen(window, tell) {
  const controller = new AbortController();
  const options = { signal: controller.signal, capture: true, passive: true };
  const { document } = window;
  const network = networkWatch(window.navigator, tell);
  const lookWhetherVisible = visibilityWatch(document, tell, network.look);
  document.addEventListener("visibilitychange", lookWhetherVisible, options);
  document.addEventListener("freeze", () => tell("freeze"), options);
  document.addEventListener("resume", () => {
    network.look();
    tell("resume");
  }, options);
  for (const name of /** @type {const} */ (["online", "offline"])) {
    window.addEventListener(name, (event) => event.target === window && network.heard(name), options);
  }
  for (const name of /** @type {const} */ (["focus", "blur"])) {
    window.addEventListener(name, (event) => event.target === window && tell(name), options);
  }
  for (const name of ["pointerdown", "keydown"]) {
    window.addEventListener(name, () => tell("interaction"), options);
  }
  listenToLeaving(window, options, tell, () => {
    network.look();
    lookWhetherVisible();
  });
  return () => controller.abort();
}

/** What the browser has said of its network. @param {Navigator} navigator @param {(what: PageEventName) => void} tell */
function networkWatch(navigator, tell) {
  let offline = navigator.onLine === false;
  const heard = (/** @type {"online" | "offline"} */ what) => {
    offline = what === "offline";
    tell(what);
  };
  return {
    heard,
    /** A page that was frozen or in the cache has heard none of the events meanwhile. */
    look() {
      if (offline !== (navigator.onLine === false)) heard(offline ? "online" : "offline");
    },
  };
}

/**
 * @param {Document} document
 * @param {(what: PageEventName) => void} tell
 * @param {() => void} onVisible called before it is told
 * @returns {() => void} looks whether it is as was told last
 */
function visibilityWatch(document, tell, onVisible) {
  let told = document.visibilityState;
  return () => {
    if (told === document.visibilityState) return;
    told = document.visibilityState;
    if (told === "visible") onVisible();
    tell(told);
  };
}

/**
 * @param {Window} window
 * @param {AddEventListenerOptions} options
 * @param {(what: PageEventName) => void} tell
 * @param {() => void} onBack called before it is told that the page is there again
 */
function listenToLeaving(window, options, tell, onBack) {
  let gone = false;
  window.addEventListener("pagehide", () => {
    gone = true;
    tell("leaving");
  }, options);
  // The first one belongs to loading and says nothing new; out of the cache it means: alive again.
  window.addEventListener("pageshow", ({ persisted }) => {
    if (!persisted && !gone) return;
    gone = false;
    onBack();
    tell("pageshow");
  }, options);
}

/** @param {Uint8Array} bytes */
function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
