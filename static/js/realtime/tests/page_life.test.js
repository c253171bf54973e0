import assert from "node:assert/strict";
import test from "node:test";

import { at, event, FakeEnvironment } from "./fake_environment.js";
import { FIVE, livePage, openNames, Page } from "./page.js";

test("focus counts after a long absence only", () => {
  const page = livePage();
  page.tell("blur");
  page.pass(59_000);
  page.tell("focus");
  assert.equal(page.state("news"), "live");
  page.tell("blur");
  page.pass(60_000);
  page.tell("focus");
  assert.equal(page.state("news"), "checking");
});

test("a page hidden for a minute keeps announcements only, and reopens the rest where it was left", () => {
  const page = livePage({ streams: FIVE });
  page.tell("hidden");
  assert.ok(page.news.includes("timer hidden"), "the timer can report it");
  page.pass(59_000);
  assert.equal(openNames(page).length, 5);
  page.pass(1_000);
  assert.deepEqual(openNames(page), ["announcements"]);
  page.pass(3_000);
  page.tell("visible");
  assert.equal(page.link.summary().state === "live" || page.link.summary().state === "connecting" || page.link.summary().state === "checking", true, "nobody is told of a loss");
  page.pass(0);
  page.socket("announcements").receive("pong");
  page.acceptAll();
  for (const name of ["records", "record", "selftest", "timer"]) {
    assert.deepEqual([page.hello(name).cause, page.hello(name).cursor], ["page", at(3)], name);
  }
});

test("a command that is unanswered keeps its stream open in a hidden page", () => {
  const page = livePage({ streams: ["announcements", "selftest"] });
  page.streams.selftest.command("run", {});
  page.tell("hidden");
  page.pass(61_000);
  assert.equal(page.socket("selftest").retired, false);
  page.socket("selftest").receive({ type: "reply", client_seq: 1, ok: true });
  page.pass(1);
  assert.equal(page.socket("selftest").retired, true);
});

test("an event that arrives just when a hidden page would put its stream aside is taken in first, and not told again", () => {
  const page = livePage({ streams: ["announcements", "records"] });
  page.tell("hidden");
  page.environment.sleep(60_500);
  page.socket("records").receive(event(4));
  assert.deepEqual([page.events, page.inside("records").cursor], [[4], at(4)]);
  page.pass(0);
  assert.equal(page.sockets("records")[0].retired, true, "the premise: it was time");
  page.tell("visible");
  page.pass(0);
  page.socket("announcements").receive("pong");
  page.acceptAll();
  assert.deepEqual(page.hello("records").cursor, at(4));
});

test("a connection of a page that is left or put aside is told so: what was said is still to arrive, as of none that is given up", () => {
  const page = livePage({ streams: ["announcements", "news", "records"] });
  page.tell("hidden");
  page.pass(61_000);
  assert.deepEqual([page.socket("records").parting, page.socket("announcements").retired], [true, false]);
  page.tell("leaving");
  assert.equal(page.socket("announcements").parting, true);
  const other = livePage({ streams: ["news"] });
  other.socket().close(1006);
  assert.equal(other.socket().parting, false);
});

test("leaving: last words go out first, then the sockets are closed and nothing is rescheduled", () => {
  const page = livePage({ streams: ["timer", "news"], handlers: {
    onPage: (what) => what === "leaving" && page.streams.timer.command("report", { foreground: false }, { kind: "report", again: false }),
  } });
  const states = page.states.length;
  page.tell("leaving");
  const socket = page.socket("timer");
  assert.deepEqual([socket.frames("command")[0].data.foreground, socket.retired, page.socket("news").retired], [false, true, true]);
  page.pass(3_600_000);
  assert.equal(page.environment.sockets.length, 2);
  assert.equal(page.environment.timers.length, 0);
  assert.ok(!page.states.slice(states).some((state) => /reconnecting|offline|paused/.test(state)), "no alarm while leaving");
});

test("a page that is left while it is not live shows no loss any more", () => {
  const page = livePage();
  page.socket().close(1006);
  assert.equal(page.state("news"), "reconnecting", "the premise");
  page.tell("leaving");
  assert.equal(page.state("news"), "connecting");
});

test("a stream that is opened while the page goes waits until it comes back", () => {
  const page = livePage();
  page.tell("leaving");
  page.open("late");
  page.pass(60_000);
  assert.equal(page.sockets("late").length, 0);
  page.tell("pageshow");
  page.socket("news").accept({ cursor: at(3) });
  page.pass(300);
  assert.equal(page.sockets("late").length, 1);
});

test("what was typed and not confirmed is handed back when leaving", () => {
  const page = livePage();
  const drafts = [];
  const ask = page.streams.news.command("ask", { text: "Is N at most 5?" });
  ask.onSettled((outcome) => drafts.push([outcome.code, ask.data.text]));
  page.tell("leaving");
  assert.deepEqual(drafts, [["leaving", "Is N at most 5?"]]);
});

test("what waited for a connection is handed back, too", () => {
  const page = livePage();
  page.socket().close(1006);
  const outcomes = [];
  page.streams.news.command("ask", {}).onSettled(({ code }) => outcomes.push(code));
  page.tell("leaving");
  assert.deepEqual(outcomes, ["leaving"]);
});

test("back out of the cache: alive again at once, from where it was left", () => {
  const page = livePage();
  page.socket().receive(event(4));
  page.tell("leaving");
  page.environment.sleep(600_000);
  page.tell("resume");
  page.tell("pageshow");
  assert.equal(page.sockets("news").length, 2);
  page.socket().open();
  assert.deepEqual([page.hello("news").cursor, page.hello("news").cause], [at(4), "page"]);
});

test("coming back is no loss, whatever was before; a try that fails then is one", () => {
  const page = livePage();
  page.socket().close(1006);
  page.pass(300);
  page.socket().accept({ cursor: at(3) });
  page.tell("leaving");
  page.tell("pageshow");
  assert.equal(page.state("news"), "connecting");
  page.socket().close(1006);
  assert.equal(page.state("news"), "reconnecting");
});

test("a page that was left but stayed comes back to life with the first sign of a person", () => {
  const page = livePage();
  page.tell("interaction");
  assert.equal(page.sockets("news").length, 1, "on a page that lives it means nothing");
  page.tell("leaving");
  page.tell("hidden");
  page.tell("interaction");
  assert.equal(page.sockets("news").length, 2);
});

test("and by focus, however short the absence was", () => {
  const page = livePage();
  page.tell("leaving");
  page.tell("focus");
  assert.equal(page.sockets("news").length, 2);
  assert.deepEqual(page.news, ["news leaving", "news focus"]);
});

test("whoever said last words is told that the page stayed, to take them back", () => {
  const page = livePage();
  page.tell("leaving");
  page.tell("interaction");
  assert.deepEqual(page.news, ["news leaving", "news pageshow"]);
});

test("hidden after leaving, as Chromium says it, is not told to anybody", () => {
  const page = livePage();
  page.tell("leaving");
  page.tell("hidden");
  page.tell("freeze");
  assert.deepEqual(page.news, ["news leaving"]);
});

test("out of the cache into the background: only what a hidden page keeps is reopened", () => {
  const page = livePage({ streams: FIVE });
  page.tell("hidden");
  page.pass(30_000);
  page.tell("leaving");
  page.environment.sleep(600_000);
  page.tell("pageshow");
  page.pass(400);
  assert.deepEqual(openNames(page), ["announcements"]);
});

test("a stream that has ended does not come back with the page", () => {
  const page = livePage();
  page.socket().close(4002);
  page.tell("leaving");
  page.tell("pageshow");
  page.pass(60_000);
  assert.equal(page.sockets("news").length, 1);
});

test("what ended for want of a session goes on from where it was once there is one, under the same handle", () => {
  const page = livePage();
  const { news } = page.streams;
  page.socket().receive(event(4));
  page.socket().close(4002);
  assert.equal(news.command("ask", {}).outcome.code, "ended", "it has not ended");
  page.link.revive("forbidden");
  page.pass(0);
  assert.equal(page.sockets("news").length, 1, "for another reason");
  page.link.revive("signed-out");
  page.pass(0);
  assert.equal(page.state("news"), "connecting");
  page.socket().accept({ cursor: at(4) });
  assert.deepEqual([page.hello("news").cause, page.hello("news").cursor], ["page", at(4)]);
  assert.equal(page.state("news"), "live");
  const asked = news.command("ask", {});
  page.socket().receive({ type: "reply", client_seq: page.socket().frames("command")[0].client_seq, ok: true, data: {} });
  assert.equal(asked.outcome.kind, "reply");
  page.link.revive("signed-out");
  page.pass(0);
  assert.equal(page.sockets("news").length, 2, "what has not ended is left alone");
});

test("a page says whose it is with every hello", () => {
  const page = livePage({ user: 17 });
  page.socket().close(1006);
  page.pass(450);
  page.socket().open();
  assert.deepEqual(page.sockets("news").map((each) => each.frames("hello")[0].user), [17, 17]);
});

test("freezing is told while something can still be said", () => {
  const page = livePage();
  page.tell("freeze");
  assert.deepEqual(page.news, ["news freeze"]);
  assert.equal(page.socket().retired, false);
});

test("a page that was loaded in the background opens like any other and puts the rest aside after a minute", () => {
  const environment = new FakeEnvironment();
  environment.visible = false;
  const page = new Page({ streams: FIVE, environment }).goLive();
  assert.equal(openNames(page).length, 5);
  page.pass(60_000);
  assert.deepEqual(openNames(page), ["announcements"]);
});

test("what was told to wait is not sent in the moment in which the context changes", () => {
  const page = livePage();
  const command = page.streams.news.command("ask", {});
  page.socket().receive({ type: "reply", client_seq: 1, ok: false, error: { code: "busy", retry_after_ms: 800 } });
  page.environment.sleep(60_000);
  page.link.changeContext();
  assert.deepEqual([command.outcome.code, page.socket().frames("command").length], ["context", 1]);
});

test("another user or contest: nothing of the old one is sent", () => {
  const page = new Page();
  const outcome = [];
  page.streams.news.command("ask", {}).onSettled(({ code }) => outcome.push(code));
  page.link.changeContext();
  page.socket().accept({ cursor: at(3) });
  assert.deepEqual([outcome, page.socket().frames("command")], [["context"], []]);
});
