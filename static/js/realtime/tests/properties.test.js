/** Random schedules of everything that can happen to a page, against the invariants that World checks. */

import test from "node:test";

import fc from "fast-check";

import { STREAMS, World } from "./world.js";

/** How many schedules; `make test` asks for more. */
const SCHEDULES = Number(process.env.FATHOM_SCHEDULES ?? 5_000);
const CODES = [1000, 1001, 1005, 1006, 1011, 1012, 1013, 4100, 4101, 4102, 4103, 4111, 4112, 4113, 4129];
const TERMINAL = [1002, 1008, 4001, 4002, 4003, 4006];
const PAGE_EVENTS = ["hidden", "visible", "offline", "online", "blur", "focus", "freeze", "resume", "leaving", "left", "pageshow", "interaction"];

const action = (weight, name, ...args) => ({ weight, arbitrary: fc.tuple(fc.constant(name), ...args) });
const stream = fc.constantFrom(...STREAMS);
const millis = fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 15_000 }), fc.integer({ min: 0, max: 200_000 }));

const actions = fc.oneof(
  action(80, "pass", millis),
  action(30, "stall", millis),
  action(10, "sleep", millis, fc.boolean()),
  action(10, "stepWall", fc.integer({ min: -7_200_000, max: 7_200_000 })),
  action(10, "stepMonoBack", fc.integer({ min: 1, max: 40_000 })),
  action(40, "network", fc.boolean(), fc.boolean(), fc.constantFrom("ok", "ok", "refuse", "hang", "throws")),
  action(10, "lose", fc.integer({ min: 1, max: 3 })),
  action(30, "post", stream),
  action(10, "ping"),
  action(20, "restart", fc.boolean()),
  action(20, "close", stream, fc.constantFrom(...CODES)),
  action(2, "close", stream, fc.constantFrom(...TERMINAL)),
  action(10, "error", stream),
  action(20, "ghost", fc.nat(), fc.constantFrom("closed", "error", "text", "opened", "handled", "send-error")),
  action(10, "throw", fc.integer({ min: 1, max: 2 })),
  action(10, "failSends", fc.integer({ min: 1, max: 3 })),
  action(30, "page", fc.constantFrom(...PAGE_EVENTS)),
  action(10, "tryNow"),
  action(30, "command", stream, fc.constantFrom("note", "report")),
  action(10, "drain", fc.integer({ min: 0, max: 5_000 })),
  action(10, "answer", fc.constantFrom("retry", "close", "draining", null)),
  action(10, "newEpoch", stream),
  action(10, "replies", fc.boolean()),
  action(10, "busy", fc.boolean()),
  action(10, "throttle", fc.boolean()),
);

/** @type {Record<string, (world: World, ...args: any[]) => void>} */
const RUN = {
  pass: (world, ms) => world.pass(ms),
  stall: (world, ms) => world.stall(ms),
  sleep: (world, ms, stops) => world.sleep(ms, stops),
  stepWall: (world, ms) => world.stepWall(ms),
  stepMonoBack: (world, ms) => world.stepMonoBack(ms),
  network: (world, inbound, outbound, connect) => world.setNetwork({ in: inbound, out: outbound, connect }),
  lose: (world, count) => (world.lost = count),
  post: (world, name) => world.server.post(name),
  ping: (world) => world.server.ping(),
  restart: (world, silently) => world.server.restart(silently),
  close: (world, name, code) => [...world.server.connections].filter((each) => each.stream === name).forEach((each) => world.server.close(each, code)),
  error: (world, name) => {
    const connection = world.sockets.get(name);
    if (connection !== undefined) world.fromSocket(connection, { type: "error", socket: connection.socket });
  },
  ghost: haunt,
  throw: (world, count) => (world.throws = count),
  failSends: (world, count) => (world.failSends = count),
  page: (world, what) => world.step({ type: "page", what }),
  tryNow: (world) => world.step({ type: "try-now" }),
  command: (world, name, kind) => world.command(name, kind),
  drain: (world, ms) => world.server.drain(ms),
  answer: (world, kind) => (world.server.answer = ANSWERS[kind] ?? null),
  newEpoch: (world, name) => world.server.newEpoch(name),
  replies: (world, on) => (world.server.replies = on),
  busy: (world, on) => Object.assign(world.server, { busy: on, wasBusy: true }),
  throttle: (world, on) => (world.throttled = on),
};

const ANSWERS = {
  retry: { frame: { type: "retry", code: "overloaded", message: "", retry_after_ms: 1_500 }, code: 4113 },
  close: { frame: null, code: 4111 },
  draining: { frame: null, code: 4112 },
};

/** Something arrives in the name of a socket that was retired long ago. */
function haunt(world, chosen, type) {
  if (world.retired.length === 0) return;
  const { stream: name, socket } = world.retired[chosen % world.retired.length];
  const more = { closed: { code: 4002 }, text: { text: '{"type":"end","code":"forbidden"}' }, handled: { ok: false } }[type] ?? {};
  world.ghost(name, { type, socket, ...more });
}

function run({ seed, latencyMs, visible, schedule }) {
  const world = new World({ seed, latencyMs, visible });
  for (const [name, ...args] of schedule) {
    RUN[name](world, ...args);
    world.pass(0);
  }
  return world;
}

const schedules = fc.record({
  seed: fc.integer({ min: 1, max: 2 ** 31 }),
  latencyMs: fc.constantFrom(1, 20, 300),
  visible: fc.boolean(),
  schedule: fc.array(actions, { maxLength: 40, size: "max" }),
});

test(`${SCHEDULES} schedules of frames, losses, closes, clocks, page events and restarts keep the invariants`, () => {
  fc.assert(fc.property(schedules, (given) => run(given).heal()), { numRuns: SCHEDULES, includeErrorInReport: true });
});
