/** The bell as a whole: what is told, where, and what is not. */

import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";

import { Bell } from "../bell.js";
import { openChannel } from "../channel.js";
import { notificationText } from "../notifications.js";
import { permissionWords } from "../panel.js";
import { emptyStorage, FakeChannel, fakeAudio, fakeWindow, withStorage } from "./fake_window.js";

const WHOSE = { contest: "demo", user: 1 };
const NAME = "fathom/bell/demo/1";
let shownTo = [];
const notice = (id, more = {}) => {
  const key = `notice/${id}`;
  return { key, version: 1, critical: false, title: `Notice ${id}`, text: "Read it.", show: () => shownTo.push(key), ...more };
};
const oldBells = [];

beforeEach(() => {
  withStorage({ value: emptyStorage() });
  for (const window of oldBells.splice(0)) window.dispatchEvent(new Event("pagehide"));
  shownTo = [];
});

function bellIn(given = {}) {
  const audio = fakeAudio();
  const window = fakeWindow({ audio, ...given });
  oldBells.push(window);
  return { window, audio: given.audio ?? audio, bell: new Bell(window, WHOSE) };
}
const started = (...bells) => bells.map(({ audio }) => audio.started.map(({ type }) => type));

test("of three pages one sounds, and none notifies while one is looked at", async () => {
  const pages = [bellIn({ focus: false }), bellIn(), bellIn({ visible: false, focus: false })];
  for (const id of [1, 2, 3, 4, 5, 6, 7, 8]) {
    for (const { bell } of pages) bell.tell([notice(id)]);
    for (const { window } of pages) await window.advance(200);
  }
  assert.deepEqual(started(...pages), [[], Array(8).fill("sine"), []], "the page that is looked at");
  assert.deepEqual(pages.flatMap(({ window }) => window.shown), []);
});

test("when none is looked at there is one notification; a click leads to the notice; reading takes it away", async () => {
  const pages = [bellIn({ visible: false, focus: false }), bellIn({ visible: false, focus: false })];
  for (const { bell } of pages) bell.tell([notice(1)]);
  for (const { window } of pages) await window.advance(200);
  const [shown, ...more] = pages.flatMap(({ window }) => window.shown);
  assert.deepEqual([more, shown.title, shown.tag, shown.silent], [[], "Notice 1", `${NAME}/notice/1/1`, true]);
  shown.onclick();
  assert.deepEqual([shownTo, pages.map(({ window }) => window.focused).sort(), shown.isOpen], [["notice/1"], [0, 1], false]);
});

test("a notification goes when its notice is read, and when there is a newer version", async () => {
  const { window, bell } = bellIn({ focus: false });
  bell.tell([notice(1), notice(2)]);
  await window.advance(200);
  bell.forget("notice/1");
  bell.tell([notice(2, { version: 2 })]);
  assert.deepEqual(window.shown.map(({ isOpen }) => isOpen), [false, false]);
  await window.advance(200);
  assert.deepEqual(window.shown.filter(({ isOpen }) => isOpen).map(({ tag }) => tag), [`${NAME}/notice/2/2`]);
});

test("many at once are one sound, the strongest, and one notification", async () => {
  const { window, audio, bell } = bellIn({ focus: false });
  bell.tell([1, 2, 3, 4].map((id) => notice(id, { critical: id === 3 })), { isOpening: true });
  await window.advance(200);
  assert.deepEqual(started({ audio }), [["triangle"]]);
  assert.deepEqual(window.shown.map(({ title }) => title), ["4 things to read"]);
  for (const id of [1, 2, 3, 4]) bell.forget(`notice/${id}`);
  assert.equal(window.shown[0].isOpen, false);
});

test("what is read before it has sounded makes no sound", async () => {
  const { window, audio, bell } = bellIn();
  bell.tell([notice(1)]);
  bell.forget("notice/1");
  await window.advance(5_000);
  assert.deepEqual(started({ audio }), [[]]);
  assert.equal(bell.isHeard("notice/1", 1), false);
});

test("a new page of the same person makes no sound for what was heard; one of another person does", async () => {
  const first = bellIn();
  first.bell.tell([notice(1)]);
  await first.window.advance(200);
  first.window.dispatchEvent(new Event("pagehide"));
  const next = bellIn();
  next.bell.tell([notice(1)], { isOpening: true });
  await next.window.advance(5_000);
  assert.deepEqual(started(first, next), [["sine"], []]);
  assert.equal(next.bell.isHeard("notice/1", 1), true);
});

test("where nothing is remembered an opened page is quiet, and what comes then sounds", async () => {
  withStorage({ get() { throw new DOMException("off", "SecurityError"); } });
  const { window, audio, bell } = bellIn();
  bell.tell([notice(1)], { isOpening: true });
  await window.advance(5_000);
  assert.deepEqual(started({ audio }), [[]]);
  bell.tell([notice(1), notice(2)]);
  await window.advance(5_000);
  assert.deepEqual(started({ audio }), [["sine"]]);
});

test("a page that may not sound leaves it to one that may", async () => {
  const mute = fakeAudio("suspended");
  mute.used = false;
  const pages = [bellIn({ audio: mute }), bellIn({ visible: false, focus: false })];
  for (const { bell } of pages) bell.tell([notice(1)]);
  for (const { window } of pages) await window.advance(200);
  assert.deepEqual(started(...pages), [[], ["sine"]]);
  assert.deepEqual(pages.flatMap(({ window }) => window.shown), []);
});

test("switched off, there is no sound and no notification, and it counts as told", async () => {
  const { window, audio, bell } = bellIn({ focus: false });
  bell.settings.change({ sound: false, notifications: false });
  bell.tell([notice(1)]);
  await window.advance(200);
  bell.settings.change({ sound: true, notifications: true });
  await window.advance(5_000);
  assert.deepEqual([started({ audio }), window.shown], [[[]], []]);
});

test("notifications are shown only where they are allowed and possible, and each case has its words", async () => {
  for (const [given, expected] of [[{ permission: "denied" }, /blocks/], [{ permission: "default" }, /asks you first/], [{ secure: false }, /https/]]) {
    const { window, bell } = bellIn({ focus: false, ...given });
    bell.tell([notice(1, { key: JSON.stringify(given) })]);
    await window.advance(200);
    assert.deepEqual(window.shown, []);
    assert.match(permissionWords(bell.notifier.permission), expected);
    assert.equal(window.Notification.asked, 0);
  }
});

test("a telephone that throws where computers notify is told of in words", async () => {
  const { window, bell } = bellIn({ focus: false });
  window.Notification = Object.assign(function () { throw new TypeError("Illegal constructor"); }, { permission: "granted" });
  bell.tell([notice(1)]);
  await window.advance(200);
  assert.match(permissionWords(bell.notifier.permission), /shows no notifications/);
});

test("permission is asked for by its button alone", async () => {
  const { window, bell } = bellIn({ permission: "default" });
  assert.equal(window.Notification.asked, 0);
  await bell.notifier.ask();
  assert.deepEqual([window.Notification.asked, bell.notifier.permission], [1, "granted"]);
});

test("the channel is closed when the page is left, and open again when it comes back or is used after all", () => {
  for (const back of ["pageshow", "pointerdown", "keydown"]) {
    const window = fakeWindow();
    const heard = [];
    const channel = openChannel(window, back, (message) => heard.push(message));
    assert.equal(FakeChannel.openOn(back), 1);
    window.dispatchEvent(new Event("pagehide"));
    assert.deepEqual([FakeChannel.openOn(back), channel.openForMs()], [0, null]);
    channel.post({ type: "claim" });
    window.dispatchEvent(new Event(back));
    new FakeChannel(back).postMessage({ type: "heard", items: [] });
    assert.deepEqual([channel.openForMs(), heard.length], [0, 1]);
  }
});

test("a page without channels sounds, too", async () => {
  const never = class { constructor() { throw new DOMException("no", "SecurityError"); } };
  for (const channel of [undefined, never]) {
    withStorage({ value: emptyStorage() });
    const { window, audio, bell } = bellIn();
    window.BroadcastChannel = channel;
    const alone = new Bell(Object.assign(window), WHOSE);
    alone.tell([notice(1)]);
    await window.advance(2_000);
    assert.deepEqual(started({ audio }), [["sine"]]);
    assert.equal(bell.isHeard("notice/1", 1), true);
  }
});

test("a notification has one line of the notice, shortened", () => {
  assert.equal(notificationText("  Read\n\n this. "), "Read this.");
  assert.equal([...notificationText("ä".repeat(500))].length, 180);
});

test("what no page of ours has said throws nothing, silences nothing and is not remembered", async () => {
  const { window, audio, bell } = bellIn();
  const stranger = new FakeChannel(NAME);
  const items = [{ key: "notice/1", version: 1 }];
  for (const said of [null, 5, "heard", {}, { type: "heard", items: null }, { type: "heard", items: [{ key: "notice/1", version: "9" }] }, { type: "claim", items, rank: null }]) stranger.postMessage(said);
  bell.tell([notice(1)]);
  stranger.postMessage({ type: "claim", items, rank: "-1", attended: 1, asks: true });
  await window.advance(1_000);
  stranger.close();
  assert.deepEqual(audio.started.map(({ type }) => type), ["sine"]);
});
