/** What may happen in the world of the property tests, how likely it is, and how a schedule of it is run. */

import fc from "fast-check";

import { STREAMS, World } from "./world.js";

const CODES = [1000, 1001, 1005, 1006, 1011, 1012, 1013, 4100, 4101, 4102, 4103, 4111, 4112, 4113, 4129];
const TERMINAL = [1002, 1003, 1007, 1008, 1009, 4000, 4001, 4002, 4003, 4004, 4005, 4006, 4009, 4099];
const PAGE_EVENTS = ["hidden", "visible", "offline", "online", "blur", "focus", "freeze", "resume", "leaving", "pageshow", "interaction"];
const HINTS = {
  retry: { frame: '{"type":"retry","code":"overloaded","message":"","retry_after_ms":1500}', code: 4113 },
  draining: { frame: null, code: 4112 },
  failing: { frame: null, code: 4111 },
  closing: { frame: null, code: 1006 },
};

/** Nothing of this is a crash: faults of the server, an event of a topic that the page does not know, a frame for the page alone. */
const ODD_FRAMES = ["{", '{"type":"event"}', '{"type":"welcome","protocol":1,"server_time":1,"resumed":true,"timings":{}}', '{"type":"event","topic":"other","after":3,"seq":4,"name":"x"}', '{"type":"other"}'];

const stream = fc.constantFrom(...STREAMS);
const millis = fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 15_000 }), fc.integer({ min: 0, max: 200_000 }));
const few = fc.integer({ min: 1, max: 3 });

/** Name → weight, what it is given, what it does. @type {Record<string, [number, fc.Arbitrary<any>[], (world: World, ...args: any[]) => void]>} */
const ACTIONS = {
  pass: [80, [millis], (world, ms) => world.pass(ms)],
  stall: [30, [millis], (world, ms) => world.stall(ms)],
  sleep: [10, [millis, fc.boolean()], (world, ms, monotonicStops) => world.sleep(ms, monotonicStops)],
  sleepInHandshake: [5, [fc.integer({ min: 80_000, max: 7_200_000 })], sleepInHandshake],
  stepWall: [10, [fc.integer({ min: -7_200_000, max: 7_200_000 })], (world, ms) => world.stepWall(ms)],
  stepMonoBack: [10, [fc.integer({ min: 1, max: 40_000 })], (world, ms) => world.stepMonoBack(ms)],
  network: [40, [fc.boolean(), fc.boolean(), fc.constantFrom("ok", "ok", "refuse", "hang", "throws")],
    (world, inbound, outbound, connect) => world.setNetwork(inbound, outbound, connect)],
  upgrades: [15, [fc.constantFrom("ok", "refuse", "hang")], (world, how) => (world.upgrades = world.hasFallback ? how : "ok")],
  lose: [10, [few], (world, count) => (world.lost = count)],
  post: [30, [stream], (world, name) => world.server.post(name)],
  repeat: [10, [stream, few], (world, name, count) => world.server.repeat(name, count)],
  garble: [5, [stream, fc.constantFrom(...ODD_FRAMES)], (world, name, text) => world.server.garble(name, text)],
  ping: [10, [], (world) => world.server.ping()],
  restart: [20, [fc.boolean()], (world, silently) => world.server.restart(silently)],
  close: [20, [stream, fc.constantFrom(...CODES)], closeOne],
  end: [2, [stream, fc.constantFrom(...TERMINAL)], closeOne],
  closeTwice: [10, [stream, fc.constantFrom(...CODES)], closeTwice],
  ghost: [20, [fc.nat(), fc.constantFrom("onClose", "onError", "onText", "onOpen", "onBinary", "handled", "send-error")], haunt],
  throw: [10, [few], (world, count) => (world.throws = count)],
  tellThrows: [10, [few], (world, count) => (world.tellThrows = count)],
  failSends: [10, [few], (world, count) => (world.failSends = count)],
  page: [30, [fc.constantFrom(...PAGE_EVENTS)], (world, what) => world.pageEvent(what)],
  tryNow: [10, [], (world) => world.dispatch({ type: "try-now" })],
  command: [30, [stream, fc.constantFrom("note", "report", "run")], (world, name, kind) => world.guarded(() => world.command(name, kind))],
  flood: [2, [stream], (world, name) => { for (let count = 0; count < 60; count += 1) world.guarded(() => world.command(name)); }],
  context: [10, [], (world) => world.changeContext()],
  reopen: [3, [stream, fc.boolean()], (world, name, blank) => world.reopen(name, blank)],
  withhold: [5, [few], (world, count) => (world.server.withholds = count)],
  drain: [10, [fc.integer({ min: 0, max: 5_000 })], (world, ms) => world.server.drain(ms)],
  answer: [10, [fc.constantFrom(...Object.keys(HINTS), "welcome")], (world, kind) => (world.server.answer = HINTS[kind] ?? null)],
  newEpoch: [10, [stream], (world, name) => world.server.newEpoch(name)],
  replies: [10, [fc.boolean()], (world, on) => (world.server.replies = on)],
  busy: [10, [fc.boolean()], (world, on) => Object.assign(world.server, { busy: on, wasBusy: true })],
  throttle: [10, [fc.boolean()], (world, on) => world.throttle(on)],
};

const action = fc.oneof(...Object.entries(ACTIONS).map(([name, [weight, given]]) => ({ weight, arbitrary: fc.tuple(fc.constant(name), ...given) })));

/** A page's life: how it begins, what happens to it, and whether its owner helps it in the end. */
export const schedules = fc.record({
  seed: fc.integer({ min: 1, max: 2 ** 31 }),
  latencyMs: fc.constantFrom(1, 20, 300),
  visible: fc.boolean(),
  helped: fc.boolean(),
  twoWays: fc.boolean(),
  schedule: fc.array(action, { maxLength: 40, size: "max" }),
});

/** Runs one schedule; throws what did not hold. */
export function run({ seed, latencyMs, visible, helped, twoWays, schedule }) {
  const world = new World({ seed, latencyMs, visible, twoWays });
  for (const [name, ...args] of schedule) {
    ACTIONS[name][2](world, ...args);
    world.pass(0);
  }
  world.heal(helped);
}

/** The server's welcome has come, but the machine sleeps before it is read; what is read of it after waking is old. */
function sleepInHandshake(world, ms) {
  const isGreeted = (connection) => connection !== null && connection.told !== null && connection.welcomedAt === null;
  for (let steps = 0; steps < 4 && !Object.values(world.current).some(isGreeted); steps += 1) world.pass(world.latencyMs);
  world.sleep(ms, false);
  world.pass(62_000);
}

function closeOne(world, name, code) {
  for (const connection of [...world.server.connections]) if (connection.stream === name) world.server.close(connection, code);
}

/** As some browsers do: an error, its close, and the close once more, much later or at once. */
function closeTwice(world, name, code) {
  const connection = world.current[name];
  if (connection === null) return;
  const { onError, onClose } = connection.handlers;
  for (const say of [onError, onClose, onClose]) world.happen(connection, () => say(code));
}

/** Something arrives in the name of a socket that was retired long ago. */
function haunt(world, chosen, what) {
  if (world.retired.length === 0) return;
  const connection = world.retired[chosen % world.retired.length];
  const { stream: name, socket, handlers } = connection;
  const given = { onClose: 4002, onText: '{"type":"end","code":"forbidden"}' }[what];
  if (what in handlers) world.happen(connection, () => handlers[what](given));
  else world.happen(connection, () => world.dispatch({ type: "stream", stream: name, event: { type: what, socket, ok: false } }));
}
