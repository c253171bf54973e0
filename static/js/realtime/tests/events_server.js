/** The other end of an event stream, for tests of the transport. */

import { eventsTransport } from "../events_transport.js";

/** A server made of data: what was asked for, and a response that says what it is told to. */
export class FakeServer {
  gets = [];
  posts = [];
  answers = [];
  status = 200;
  onPost = () => {};

  options = {
    turn: (run) => setImmediate(run),
    eventsUrl: "/rt/cup/events", commandsUrl: "/rt/cup/commands",
    nameOf: (url) => url.slice(4), csrfToken: () => "token",
    request: (url, init, withinMs) => (init.method === "POST" ? this.#post(url, init, withinMs) : this.#get(url, init)),
  };

  #get(url, init) {
    const stream = new TransformStream();
    const get = { url: new URL(url, "http://h"), init, writer: stream.writable.getWriter() };
    this.gets.push(get);
    init.signal.addEventListener("abort", () => get.writer.abort().catch(() => {}));
    const headers = new Headers({ "content-type": "text/event-stream; charset=utf-8" });
    return Promise.resolve({ ok: this.status === 200, headers, body: stream.readable });
  }

  #post(url, init, withinMs) {
    this.posts.push({ url, init, withinMs, body: JSON.parse(init.body) });
    this.onPost();
    if (this.answers?.at(-1) === "held") return heldUntilAborted(init.signal);
    if (this.answers?.at(-1) === "silent") return Promise.reject(new DOMException("", "TimeoutError"));
    return Promise.resolve({ ok: this.status === 200, status: this.status, json: async () => ({ frames: this.answers }) });
  }

  /** Bytes as they come, cut anywhere. */
  async say(text) {
    void this.gets.at(-1).writer.write(new TextEncoder().encode(text));
    await later();
  }

  async frame(frame) {
    await this.say(`data: ${JSON.stringify(frame)}\n\n`);
  }
}

function heldUntilAborted(signal) {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
}

export const later = () => new Promise((resolve) => setTimeout(resolve, 2));
export const HELLO = { type: "hello", protocol: 1, client: "c1", try: 0, cause: "close", gap_ms: 5, stats: {}, user: 17, cursor: { me: { epoch: "e", seq: 2 } } };

/** Opens streams as the machine does: hello goes out when they are open. */
export async function opened(names, server = new FakeServer(), hellos = {}) {
  const transport = eventsTransport(server.options);
  const heard = Object.fromEntries(names.map((name) => [name, []]));
  const lines = {};
  for (const name of names) {
    const hear = (what) => (value) => heard[name].push([what, value]);
    lines[name] = transport.open(`/ws/${name}`, {
      onOpen: () => lines[name].send(JSON.stringify(hellos[name] ?? HELLO)), onText: hear("text"), onBeside: hear("beside"),
      onBinary: hear("binary"), onClose: hear("close"), onError: hear("error"),
    });
  }
  await later();
  return { server, lines, heard };
}
