/** A contest's streams over the real link: who tries first, who asks for the time, and when time in front is told. */

import assert from "node:assert/strict";
import test from "node:test";

import { FakeEnvironment } from "../../realtime/tests/fake_environment.js";
import { Page } from "../../realtime/tests/page.js";
import { streamOptions } from "../../stores/streams.js";
import { Foreground, noteForeground, reportForeground } from "../own_time.js";

const CURSOR = { contest: { epoch: "e1", seq: 3 } };

/** A page of the contest with these streams, each as the site opens it. */
class ContestPage extends Page {
  open(name) {
    return this.link.open({ ...streamOptions(name, { url: `/ws/${name}`, cursor: CURSOR, data: {} }), onPage: (what) => this.news.push(`${name} ${what}`) });
  }
}

test("after a common failure the timer tries for all", () => {
  const page = new ContestPage({ streams: ["announcements", "records", "timer"] }).goLive();
  const before = page.environment.sockets.length;
  for (const socket of [...page.environment.sockets]) socket.close(1006);
  page.pass(1_000);
  const tries = page.environment.sockets.slice(before).map((socket) => socket.url);
  assert.deepEqual(tries, ["/ws/timer"], "the others follow when it is through");
});

test("a page of the jury, which reports no time, asks for the clock by a command without effect after a step", () => {
  const page = new ContestPage({ streams: ["announcements"] }).goLive();
  assert.notEqual(page.link.serverNow(), null);
  const before = page.socket("announcements").frames("command").length;
  page.environment.wallMs += 2 * 3_600_000;
  assert.equal(page.link.serverNow(), null, "the premise: the step is noticed");
  const commands = () => page.socket("announcements").frames("command").slice(before);
  for (let waited = 0; waited < 20 && commands().length === 0; waited += 1) page.pass(500);
  const asked = commands();
  assert.deepEqual(asked.map(({ name, data }) => [name, data]), [["delivered", { notices: [] }]]);
  page.socket("announcements").receive({ type: "reply", client_seq: asked[0].client_seq, ok: true, data: {}, server_time: 1_790_000_100, held_ms: 0 });
  assert.ok(Math.abs(page.link.serverNow().serverMs - 1_790_000_100_000) < 1_000);
});

/** Somebody's page in front, with its reports. */
function inFront(t) {
  globalThis.HTMLElement = class {};
  globalThis.document = { visibilityState: "visible", querySelector: () => null };
  t.after(() => { for (const name of ["document", "HTMLElement"]) delete globalThis[name]; });
  t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  const page = new Page({ streams: [], environment: new FakeEnvironment() });
  const foreground = new Foreground();
  const stream = page.link.open({
    ...streamOptions("timer", { url: "/ws/timer", cursor: CURSOR, data: {} }),
    onPage: (what) => noteForeground(foreground, what) && stream.renew("report"),
  });
  const limits = { reportMs: 10_000 };
  reportForeground({ stream, timer: { asked: () => undefined, shown: () => ({}) }, foreground, reportMs: () => limits.reportMs });
  page.pass(0);
  page.socket("timer").accept({ cursor: CURSOR });
  page.pass(0);
  const reports = () => page.environment.sockets.flatMap((socket) => socket.frames("command")).filter(({ name }) => name === "report").map(({ data }) => data.foreground);
  return { page, reports, limits };
}

test("a page that is frozen says that it is not in front any more, and that it is again when it goes on", (t) => {
  const { page, reports } = inFront(t);
  assert.deepEqual(reports(), [true]);
  page.tell("freeze");
  assert.deepEqual(reports(), [true, false]);
  page.tell("resume");
  assert.deepEqual(reports(), [true, false, true]);
});

test("a page that was left, but stayed, is in front again with a key or a click, and with the focus", (t) => {
  for (const sign of ["interaction", "focus"]) {
    t.mock.timers.reset();
    const { page, reports } = inFront(t);
    page.tell("leaving");
    assert.deepEqual(reports(), [true, false], "the premise: last words");
    page.pass(1_000);
    page.tell(sign);
    page.pass(1_000);
    page.socket("timer").accept({ cursor: CURSOR });
    page.pass(0);
    assert.deepEqual(reports(), [true, false, true], sign);
  }
});

test("focus is told to the reports like any other return", (t) => {
  globalThis.document = { visibilityState: "visible" };
  t.after(() => { delete globalThis.document; });
  const foreground = new Foreground();
  assert.equal(noteForeground(foreground, "focus"), true);
  assert.equal(foreground.visible, true);
  globalThis.document.visibilityState = "hidden";
  assert.equal(noteForeground(foreground, "focus"), true, "it is not, after all");
  assert.equal(noteForeground(foreground, "focus"), false);
});

test("the period of the reports is the server's, as it says it last", (t) => {
  const { page, reports, limits } = inFront(t);
  const asked = () => reports().length;
  const answerAll = () => {
    for (const { client_seq: seq } of page.socket("timer").frames("command").slice(-1)) page.socket("timer").receive({ type: "reply", client_seq: seq, ok: true, data: {} });
  };
  answerAll();
  limits.reportMs = 2_000; // another welcome
  t.mock.timers.tick(10_000);
  page.pass(0);
  assert.equal(asked(), 2);
  answerAll();
  t.mock.timers.tick(2_000);
  page.pass(0);
  assert.equal(asked(), 3);
});
