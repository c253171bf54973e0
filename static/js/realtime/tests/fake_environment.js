/** A browser made of data: clocks that stand still, timers that fire when told, sockets without a network. */

/** More timers than this at one moment are a page that spins. */
const MOST_AT_ONCE = 1_000;

export class FakeEnvironment {
  monoMs = 1_000;
  wallMs = 1_790_000_000_000;
  chance = 0.5;
  timers = [];
  turns = [];
  sockets = [];
  errors = [];
  visible = true;
  offline = false;
  tellPage = null;
  inside = null;

  read() {
    return { monoMs: this.monoMs, wallMs: this.wallMs, random: () => this.chance };
  }

  setTimer(run, ms) {
    const timer = { run, atMs: this.monoMs + ms, ms };
    this.timers.push(timer);
    return timer;
  }

  clearTimer(timer) {
    this.timers = this.timers.filter((each) => each !== timer);
  }

  turn(run) {
    this.turns.push(run);
  }

  get transport() {
    return {
      name: "fake",
      open: (url, handlers) => {
        const socket = new FakeSocket(url, handlers, this.monoMs);
        this.sockets.push(socket);
        return socket.connection();
      },
    };
  }

  newClientId() {
    return "00112233445566778899aabbccddeeff";
  }

  page() {
    return { visible: this.visible, offline: this.offline };
  }

  listen(tell) {
    this.tellPage = tell;
    return () => (this.tellPage = null);
  }

  report(error) {
    this.errors.push(error);
  }

  expose(inside) {
    this.inside = inside;
  }

  /** Time passes, timers fire in order, turns of the event loop in between. */
  pass(ms) {
    const endMs = this.monoMs + ms;
    let standing = 0;
    this.runTurns();
    for (let next = this.#due(endMs); next !== undefined; next = this.#due(endMs)) {
      standing = next.atMs > this.monoMs ? 0 : standing + 1;
      if (standing > MOST_AT_ONCE) throw new Error("a timer fires again and again without any time passing");
      this.#moveTo(Math.max(this.monoMs, next.atMs));
      this.clearTimer(next);
      next.run();
      this.runTurns();
    }
    this.#moveTo(endMs);
  }

  /** The machine sleeps: time jumps, nothing runs; what is due fires at once afterwards. */
  sleep(ms, { monotonicStops = false } = {}) {
    this.wallMs += ms;
    if (!monotonicStops) this.monoMs += ms;
  }

  runTurns() {
    while (this.turns.length > 0) this.turns.shift()();
  }

  last(path = "") {
    return this.sockets.filter((socket) => socket.url.includes(path)).at(-1);
  }

  #due(endMs) {
    const due = this.timers.filter((timer) => timer.atMs <= endMs);
    return due.sort((a, b) => a.atMs - b.atMs)[0];
  }

  #moveTo(ms) {
    this.wallMs += ms - this.monoMs;
    this.monoMs = ms;
  }
}

export class FakeSocket {
  sent = [];
  state = 0;
  retired = false;
  failsToSend = false;

  constructor(url, handlers, bornMs) {
    this.bornMs = bornMs;
    this.url = url;
    this.handlers = handlers;
  }

  connection() {
    return {
      send: (text) => {
        if (this.failsToSend) throw new Error("cannot send");
        this.sent.push(text);
      },
      retire: (parting) => {
        this.retired = true;
        this.parting = parting;
        this.state = 3;
      },
      readyState: () => this.state,
    };
  }

  open() {
    this.state = 1;
    this.handlers.onOpen();
  }

  receive(frame) {
    this.handlers.onText(typeof frame === "string" ? frame : JSON.stringify(frame));
  }

  close(code) {
    this.state = 3;
    this.handlers.onClose(code);
  }

  frames(type) {
    return this.sent.filter((text) => text.startsWith("{")).map((text) => JSON.parse(text)).filter((frame) => frame.type === type);
  }

  /** The server's side of a good start: a replay, or the whole state. */
  accept({ cursor = {}, events = [], resumed = true, data = {}, timings = {}, serverTime = 1_790_000_000 } = {}) {
    this.open();
    this.receive({ type: "welcome", protocol: 1, node: "n1", server_time: serverTime, resumed, timings });
    if (!resumed) this.receive({ type: "snapshot", cursor, data });
    for (const event of events) this.receive(event);
    this.receive({ type: "synced", cursor });
  }
}

/** @returns a cursor over the topic "contest" */
export const at = (seq, epoch = "e1") => ({ contest: { epoch, seq } });

/** @returns an event of the topic "contest" */
export const event = (seq, after = seq - 1, data = {}) => ({
  type: "event", topic: "contest", after, seq, id: `id${seq}`, name: "thing.changed", data,
});
