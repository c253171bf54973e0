import assert from "node:assert/strict";
import test from "node:test";

import { browserEnvironment, webSocketTransport } from "../environment.js";

class FakeWebSocket {
  static made = [];
  readyState = 0;
  sent = [];

  constructor(url) {
    this.url = url;
    FakeWebSocket.made.push(this);
  }

  send(text) {
    this.sent.push(text);
  }

  close(code) {
    this.closedWith = code;
    this.hadHandlers = [this.onopen, this.onmessage, this.onclose, this.onerror].some((handler) => handler !== null);
  }
}

function fakeWindow() {
  const window = new EventTarget();
  const document = Object.assign(new EventTarget(), { visibilityState: "visible" });
  return Object.assign(window, {
    document, navigator: { onLine: true }, performance: { now: () => 5 }, location: { protocol: "https:", host: "contest.example" },
    WebSocket: FakeWebSocket, MessageChannel, console, crypto: globalThis.crypto,
    setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout,
  });
}

const fire = (target, type, more = {}) => target.dispatchEvent(Object.assign(new Event(type), more));

test("paths are opened on the page's own host, securely if the page is", () => {
  const urls = [["https:", "wss://h:1/ws/a"], ["http:", "ws://h:1/ws/a"]].map(([protocol, expected]) => {
    webSocketTransport(FakeWebSocket, { protocol, host: "h:1" }).open("/ws/a", {});
    return [FakeWebSocket.made.at(-1).url, expected];
  });
  for (const [url, expected] of urls) assert.equal(url, expected);
});

test("a socket tells what happens to it, until it is retired: handlers first, then the close", () => {
  const heard = [];
  const hear = (name) => (value) => heard.push([name, value]);
  const connection = webSocketTransport(FakeWebSocket, { protocol: "http:", host: "h" }).open("/x", {
    onOpen: hear("open"), onText: hear("text"), onBinary: hear("binary"), onClose: hear("close"), onError: hear("error"),
  });
  const socket = FakeWebSocket.made.at(-1);
  socket.onopen({});
  socket.onmessage({ data: "ping" });
  socket.onmessage({ data: new ArrayBuffer(1) });
  socket.onerror({});
  socket.onclose({ code: 1006 });
  connection.send("pong");
  connection.retire();
  assert.deepEqual(heard, [["open", undefined], ["text", "ping"], ["binary", undefined], ["error", undefined], ["close", 1006]]);
  assert.deepEqual([socket.sent, socket.closedWith, socket.hadHandlers, connection.readyState()], [["pong"], 1000, false, 0]);
});

test("page events are told by their names; a first pageshow and beforeunload are not", () => {
  const window = fakeWindow();
  const told = [];
  const stop = browserEnvironment(window).listen((what) => told.push(what));
  fire(window, "pageshow", { persisted: false });
  for (const type of ["offline", "online", "blur", "focus", "pagehide", "pointerdown", "keydown", "beforeunload"]) fire(window, type);
  for (const type of ["freeze", "resume"]) fire(window.document, type);
  window.document.visibilityState = "hidden";
  fire(window.document, "visibilitychange");
  fire(window, "pageshow", { persisted: true });
  stop();
  fire(window, "online");
  assert.deepEqual(told, ["offline", "online", "blur", "focus", "leaving", "interaction", "interaction", "freeze", "resume", "hidden", "pageshow"]);
});

test("a page that comes back after pagehide is told of, whether it was in the cache or never went", () => {
  const window = fakeWindow();
  const told = [];
  browserEnvironment(window).listen((what) => told.push(what));
  fire(window, "pagehide");
  fire(window, "pageshow", { persisted: false });
  fire(window, "pageshow", { persisted: false });
  assert.deepEqual(told, ["leaving", "pageshow"]);
});

test("visibility that changed without an event is told with pageshow", () => {
  const window = fakeWindow();
  const told = [];
  browserEnvironment(window).listen((what) => told.push(what));
  window.document.visibilityState = "hidden";
  fire(window, "pageshow", { persisted: true });
  assert.deepEqual(told, ["hidden", "pageshow"]);
});

for (const [what, happen] of [
  ["out of the cache", (window) => fire(window, "pageshow", { persisted: true })],
  ["to life after a freeze", (window) => fire(window.document, "resume")],
  ["to the front", (window) => {
    for (const state of ["hidden", "visible"]) {
      window.document.visibilityState = state;
      fire(window.document, "visibilitychange");
    }
  }],
]) {
  test(`whether the browser is online is asked anew when a page comes back ${what}: it was told nothing meanwhile`, () => {
    const window = fakeWindow();
    const told = [];
    browserEnvironment(window).listen((event) => told.push(event));
    fire(window, "offline");
    assert.deepEqual(told, ["offline"], "the premise");
    happen(window);
    assert.equal(told.filter((event) => event === "online").length, 1, String(told));
    assert.notEqual(told.at(-1), "online", "known before anything acts on the return");
    window.navigator.onLine = false;
    happen(window);
    happen(window);
    assert.equal(told.filter((event) => event === "offline").length, 2, `the other way, too, and once: ${told}`);
  });
}

test("a request to the second way is given up when its time is over, and by whoever asked", async () => {
  const window = fakeWindow();
  const asked = [];
  window.fetch = (_, { signal }) => new Promise((_, reject) => {
    asked.push(signal);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  const given = { eventsUrl: "/e", commandsUrl: "/c", nameOf: () => "news", csrfToken: () => "" };
  const { fallback } = browserEnvironment(window, given);
  // The signal's own timer does not keep Node alive.
  const alive = setInterval(() => undefined, 1_000);
  const answered = await new Promise((tell) => fallback.reach(10, tell));
  clearInterval(alive);
  assert.deepEqual([answered, asked[0].reason.name], [false, "TimeoutError"]);

  const connection = fallback.open("/ws/news", { onOpen: () => connection.send('{"type":"hello"}'), onClose: () => {} });
  await new Promise((resolve) => setTimeout(resolve, 1));
  connection.send("ping");
  await new Promise((resolve) => setTimeout(resolve, 1));
  assert.deepEqual(asked.map(({ aborted }) => aborted), [true, false, false], "the response and what went up");
  connection.retire();
  assert.deepEqual(asked.map(({ aborted }) => aborted), [true, true, true]);
});

test("the document's id is 16 random bytes, different for every document", () => {
  const { newClientId } = browserEnvironment(fakeWindow());
  assert.match(newClientId(), /^[0-9a-f]{32}$/);
  assert.notEqual(newClientId(), newClientId());
});

test("one turn of the event loop passes, and no timer", async () => {
  const { turn } = browserEnvironment(fakeWindow());
  const order = [];
  await new Promise((resolve) => {
    turn(() => resolve(order.push("turn")));
    queueMicrotask(() => order.push("microtask"));
    order.push("now");
  });
  assert.deepEqual(order, ["now", "microtask", "turn"]);
});

test("how the page stands, and who may look inside", () => {
  const window = fakeWindow();
  window.navigator.onLine = false;
  window.fathom = { other: 1 };
  const environment = browserEnvironment(window);
  assert.deepEqual(environment.page(), { visible: true, offline: true });
  environment.expose({ connections: () => ["inside"], page: () => "all of it" });
  assert.deepEqual([window.fathom.other, window.fathom.connections(), window.fathom.page()], [1, ["inside"], "all of it"]);
});
