/** Pages in a browser made of data that has a second way. */

import { at, FakeEnvironment, FakeSocket } from "./fake_environment.js";
import { FIVE, Page } from "./page.js";

/** A browser with a second way, whose connections are listed apart. */
export class TwoWays extends FakeEnvironment {
  events = [];
  reaches = [];
  reachable = true; // by plain requests; null: nothing comes back
  fallback = {
    name: "events",
    reach: (withinMs, tell) => {
      this.reaches.push({ atMs: this.monoMs, withinMs, tell });
      const { reachable } = this;
      if (reachable !== null) this.turn(() => tell(reachable));
    },
    open: (url, handlers) => {
      const socket = new FakeSocket(url, handlers, this.monoMs);
      this.events.push(socket);
      return socket.connection();
    },
  };

  /** The response is there, and every stream of it. */
  acceptEvents(given = {}) {
    for (const socket of this.events.filter((each) => each.state === 0)) socket.accept({ cursor: at(3), ...given });
  }
}

export function newPage({ streams = FIVE, timings = {}, ...more } = {}) {
  const environment = Object.assign(new TwoWays(), more);
  return new Page({ streams, timings, environment });
}

/** Refuses every WebSocket that comes within this time. */
export function refuseFor(page, ms) {
  for (let passed = 0; passed < ms; passed += 50) {
    for (const socket of page.environment.sockets) if (socket.state === 0) socket.close(1006);
    page.pass(50);
  }
}

export function onEvents(options) {
  const page = newPage(options);
  refuseFor(page, 2_000);
  page.environment.acceptEvents();
  page.pass(0);
  return page;
}

/** Comments come down the event stream while time passes. */
export function passAlive(page, ms) {
  for (let passed = 0; passed < ms; passed += 1_000) {
    for (const socket of page.environment.events) if (!socket.retired) socket.receive("pong");
    page.pass(1_000);
  }
}

export const openNames = (sockets) => sockets.filter((socket) => !socket.retired).map((socket) => socket.url.slice(4)).sort();
export const trials = (page) => page.environment.sockets.filter((socket) => socket.frames("hello")[0]?.client.endsWith("-trial"));
