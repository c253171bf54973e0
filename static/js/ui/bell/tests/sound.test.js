/** Sounds in browsers that let pages sound at once, later or never. */

import assert from "node:assert/strict";
import test from "node:test";

import { soundWords } from "../panel.js";
import { Sounder } from "../sound.js";
import { fakeAudio, fakeWindow, settled } from "./fake_window.js";

function sounderIn(window) {
  const states = [];
  const sounder = new Sounder(window, () => states.push(sounder.state));
  return { sounder, states };
}

test("a page that may sound does, with one oscillator, critical in another voice", async () => {
  const audio = fakeAudio();
  const { sounder } = sounderIn(fakeWindow({ audio }));
  assert.equal(sounder.isAllowed, true);
  assert.deepEqual([await sounder.play("plain"), await sounder.play("critical")], [true, true]);
  assert.deepEqual(audio.started.map(({ type }) => type), ["sine", "triangle"]);
  assert.equal(audio.made, 1);
});

test("a context rests when nothing sounds any more", async () => {
  const audio = fakeAudio();
  const { sounder } = sounderIn(fakeWindow({ audio }));
  await sounder.play("plain");
  await sounder.play("plain");
  audio.started[0].onended();
  assert.equal(audio.context.state, "running");
  audio.started[1].onended();
  assert.equal(audio.context.state, "suspended");
  await sounder.play("plain");
  assert.equal(audio.started.length, 3);
});

test("a sound that is held back comes with the first gesture, if that comes soon", async () => {
  const audio = fakeAudio("suspended");
  const window = fakeWindow({ audio });
  const { sounder, states } = sounderIn(window);
  sounder.allowByGesture();
  const playing = sounder.play("plain");
  await window.advance(1_500);
  assert.deepEqual([states, audio.started.length], [["held-back"], 0]);
  assert.equal(sounder.isAllowed, false);
  window.dispatchEvent(new Event("pointerup"));
  audio.context.allow();
  assert.equal(await playing, true);
  await settled();
  assert.deepEqual([audio.started.length, audio.context.state], [1, "running"]);
  assert.equal(sounder.state, "allowed");
});

test("the gesture that is being asked by does not put to rest what has begun meanwhile", async () => {
  const audio = fakeAudio("suspended");
  const window = fakeWindow({ audio });
  const { sounder } = sounderIn(window);
  sounder.allowByGesture();
  window.dispatchEvent(new Event("pointerup"));
  const playing = sounder.play("plain");
  audio.context.allow();
  assert.equal(await playing, true);
  await settled();
  assert.deepEqual([audio.started.length, audio.context.state], [1, "running"]);
});

test("after five seconds it is not made up for", async () => {
  const audio = fakeAudio("suspended");
  const window = fakeWindow({ audio });
  const { sounder } = sounderIn(window);
  const playing = sounder.play("plain");
  await window.advance(5_000);
  assert.equal(await playing, false);
  audio.context.allow();
  await settled();
  assert.equal(audio.started.length, 0);
  assert.match(soundWords(sounder.state, true), /holds sounds back/);
});

test("the first gesture asks during it, once it is granted no more, and leaves the context at rest", async () => {
  const audio = fakeAudio("suspended");
  const window = fakeWindow({ audio });
  const { sounder } = sounderIn(window);
  sounder.allowByGesture();
  assert.equal(audio.made, 0, "a context before any gesture");
  window.dispatchEvent(new Event("keydown"));
  assert.equal(audio.made, 1);
  window.dispatchEvent(new Event("keydown"));
  assert.equal(audio.context.waiting.length, 1, "asked with every key");
  audio.context.allow();
  await settled();
  assert.deepEqual([sounder.state, audio.context.state], ["allowed", "suspended"]);
  audio.context.resume = () => assert.fail("asked again");
  window.dispatchEvent(new Event("keydown"));
});

test("a browser without sound is told of in words and throws nothing", async () => {
  const missing = fakeWindow();
  missing.AudioContext = undefined;
  const refusing = fakeAudio();
  refusing.Context.prototype.resume = async () => { throw new DOMException("no", "InvalidStateError"); };
  const { sounder, states } = sounderIn(missing);
  assert.equal(await sounder.play("plain"), false);
  assert.deepEqual(states, ["missing"]);
  assert.match(soundWords("missing", true), /cannot/);
  assert.equal(await sounderIn(fakeWindow({ audio: refusing })).sounder.play("plain"), true, "it ran without being asked");
});
