/** What must hold in the world of the property tests, at every step and at the end. */

import assert from "node:assert/strict";

import { backoffMs } from "../backoff.js";
import { DEFAULT_TIMINGS } from "../timings.js";

export function checkStep(world, before, link) {
  for (const stream of link.streams) {
    const old = before.streams.find((each) => each.name === stream.name);
    if (old === undefined || old === stream) continue;
    assert.ok(stream.queue.items.length <= 50, "the queue has grown over its bound");
    checkBackoff(world, old, stream);
    if (old.phase === "ended") assert.equal(stream.phase, "ended", "an ended stream has come back");
  }
  const last = world.opens.slice(-6);
  if (last.length === 6) assert.ok(last[5] - last[0] >= 1_000, "six attempts within a second");
}

function checkBackoff(world, old, { name, retry, phase, causes }) {
  if (retry.failures < old.retry.failures) {
    const connection = world.sockets.get(name);
    const lived = connection.heardAt - connection.syncedAt;
    assert.ok(retry.failures <= 1 && connection.syncedAt !== null && lived >= 10_000, "back-off was reset without proven life");
  }
  const failedNow = causes !== old.causes && retry.failures === old.retry.failures + 1 && phase === "waiting" && !retry.hinted && causes.at(-1).code !== 4100;
  if (!failedNow || retry.wantsAtMs < world.link.timeline.ms) return;
  const wait = retry.wantsAtMs - world.link.timeline.ms;
  assert.ok(wait >= backoffMs(retry.failures, 0) && wait <= backoffMs(retry.failures, 1), `a wait of ${wait} ms after ${retry.failures} failures`);
}

/** "live" is shown only with proof younger than the silence window, and after a sleep only with fresh proof. */
export function checkHonesty(world) {
  if (world.clockBack || world.throttled) return;
  for (const [name, page] of Object.entries(world.page)) {
    if (page.shown !== "live") continue;
    const connection = world.sockets.get(name);
    assert.ok(connection !== undefined, `${name} is shown live without a socket`);
    const age = world.trueNow - connection.heardAt;
    assert.ok(age <= DEFAULT_TIMINGS.silenceMs + 1_000, `${name} is shown live after ${age} ms of silence`);
    const sinceWaking = world.trueNow - world.wokeAt;
    assert.ok(sinceWaking <= 61_000 || connection.heardAt >= world.wokeAt, `${name} is shown live ${sinceWaking} ms after a sleep without proof`);
  }
}

/** Whoever was not ended is live, and shows what a fresh page would show. */
export function checkWell(world, name) {
  const { phase } = world.stream(name);
  if (phase === "ended") return;
  assert.equal(world.page[name].shown, "live", `${name} is ${phase} and ${world.page[name].shown} after everything was well again`);
  assert.deepEqual(world.page[name].cursor, world.server.head(name), `${name} has lost something`);
  assert.equal(world.page[name].state, world.server.state(name), `${name} shows something else than a fresh page would`);
}
