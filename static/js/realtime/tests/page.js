/** A page with live connections in a browser made of data: what the tests of the whole library start from. */

import { Link } from "../index.js";
import { at, FakeEnvironment } from "./fake_environment.js";

/** Five streams as a contest page has them; the first stays open while hidden, the last scouts. */
export const FIVE = ["announcements", "records", "record", "selftest", "timer"];

export class Page {
  constructor({ streams = ["news"], timings = {}, environment = new FakeEnvironment(), handlers = {}, user = null } = {}) {
    this.environment = environment;
    this.link = new Link({ environment, timings, user });
    this.events = [];
    this.states = [];
    this.news = [];
    this.summaries = [];
    this.link.subscribe((summary) => this.summaries.push(summary));
    this.streams = Object.fromEntries(streams.map((name) => [name, this.open(name, handlers)]));
    environment.pass(0);
  }

  open(name, handlers = {}) {
    return this.link.open({
      name, url: `/ws/${name}`, cursor: at(3), keepHidden: name === "announcements", preferred: name === "timer",
      onEvent: (event) => this.events.push(event.seq),
      onState: ({ state }) => this.states.push(`${name} ${state}`),
      onPage: (what) => this.news.push(`${name} ${what}`),
      ...handlers,
    });
  }

  /** The newest socket of a stream. */
  socket(name = Object.keys(this.streams)[0]) {
    return this.environment.last(`/ws/${name}`);
  }

  sockets(name) {
    return this.environment.sockets.filter((socket) => socket.url === `/ws/${name}`);
  }

  hello(name) {
    return this.socket(name).frames("hello")[0];
  }

  state(name) {
    return this.link.connections().find((stream) => stream.name === name)?.state;
  }

  inside(name = Object.keys(this.streams)[0]) {
    return this.link.connections().find((stream) => stream.name === name);
  }

  tell(what) {
    this.environment.tellPage(what);
    this.environment.pass(0);
  }

  pass(ms) {
    this.environment.pass(ms);
  }

  /** The server answers whoever comes, without any time passing. */
  acceptAll(cursor = at(3)) {
    for (let next = this.#opening(); next !== undefined; next = this.#opening()) {
      next.accept({ cursor });
      this.pass(0);
    }
  }

  #opening() {
    return this.environment.sockets.find((socket) => socket.state === 0);
  }

  /** All streams live, the scout first. */
  goLive() {
    const names = Object.keys(this.streams);
    for (let round = 0; round < names.length; round += 1) {
      for (const socket of this.environment.sockets) if (socket.state === 0) socket.accept({ cursor: at(3) });
      this.pass(300);
    }
    return this;
  }

  /** Sockets are carried by a path that has gone dead: nothing arrives, nothing is said. */
  opened() {
    return this.environment.sockets.filter((socket) => !socket.retired);
  }
}

/** A page with one stream that has been live for a moment. */
export function livePage(options = {}) {
  return new Page(options).goLive();
}

/** @param {Page} page @returns {string[]} which of the five have a socket */
export function openNames(page) {
  return FIVE.filter((name) => !page.socket(name).retired);
}
