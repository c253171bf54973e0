// Installed in every document before its own scripts: keeps what the page said of its connections, and
// when, by the page's monotonic clock. States change rarely, so every change is kept; nothing is sampled.
(() => {
  const nowMs = () => performance.now();
  const watch = { states: [], said: [], events: [], beats: [], ticks: [], handshakes: [] };
  window.watch = watch;

  const note = (name, state) => {
    const last = watch.states.findLast((each) => each.name === name);
    if (state !== undefined && last?.state !== state) watch.states.push({ name, state, atMs: nowMs() });
  };
  const look = () => {
    note("page", document.body?.dataset.connection);
    for (const line of document.querySelectorAll("[data-stream]")) note(line.dataset.stream, line.dataset.state);
  };
  const say = (region) => {
    const text = region?.textContent?.trim();
    if (text) watch.said.push({ region: region.id, text, atMs: nowMs() });
  };
  const regionOf = (node) => (node instanceof Element ? node : node.parentElement)?.closest("[aria-live]");

  const takeIn = (changes) => {
    look();
    // What is set several times in one turn is heard once, as it is in the end.
    const spoken = new Set();
    for (const { type, target, attributeName } of changes) {
      if (type === "attributes" && attributeName === "data-remaining-ms") {
        watch.ticks.push({ remainingMs: Number(target.dataset.remainingMs), atMs: nowMs() });
        watch.ticks.splice(0, watch.ticks.length - 20);
      }
      if (type === "childList") spoken.add(regionOf(target));
    }
    for (const region of spoken) say(region);
  };
  new MutationObserver(takeIn).observe(document, {
    subtree: true, childList: true, attributes: true,
    attributeFilter: ["data-connection", "data-state", "data-remaining-ms"],
  });

  for (const name of ["online", "offline", "pageshow", "pagehide", "focus", "blur"]) {
    addEventListener(name, (event) => {
      watch.events.push({ name: event.persisted ? `${name} persisted` : name, atMs: nowMs() });
    }, true);
  }
  for (const name of ["visibilitychange", "freeze", "resume"]) {
    document.addEventListener(name, () => {
      const what = name === "visibilitychange" ? document.visibilityState : name;
      watch.events.push({ name: what, atMs: nowMs() });
    }, true);
  }

  const Socket = window.WebSocket;
  window.WebSocket = class extends Socket {
    constructor(...given) {
      super(...given);
      watch.handshakes.push({ url: this.url, atMs: nowMs() });
    }
  };

  // The pulse of the page: a gap in it is a time in which no script ran.
  setInterval(() => {
    watch.beats.push(nowMs());
    watch.beats.splice(0, watch.beats.length - 1200);
  }, 100);
})();
