/** Alerts over a real link and a document made of data: what stays, what is said of it, and what the server is told. */

import assert from "node:assert/strict";
import test from "node:test";

import { at } from "../../realtime/tests/fake_environment.js";
import { livePage } from "../../realtime/tests/page.js";
import { createAnnouncements } from "../../stores/announcements.js";
import { showAlerts } from "../alerts.js";
import { sayShutOut } from "../shut_out.js";
import { tellShifts } from "../stack.js";
import { fire, h, putPage } from "./fake_page.js";

const BELL = { isHeard: () => false, tell: () => undefined, forget: () => undefined };
const lunch = {
  id: 5, version: 1, title: "Lunch", html: "At noon.", level: "info", problem: null,
  posted_at: "2026-05-01T10:00:00.000Z", requires_ack: true,
};
const contest = { version: 1, state: "running", starts_at: null, ends_at: null, freeze_at: null };

function alertOnPage(t, notice = lunch) {
  const template = h("template#alert-template", h("section.alert", h("h2.alert-title"), h("div.alert-body"),
    h("form", h("input[name=\"notice\"]"), h("input[name=\"version\"]"), h("button[type=\"submit\"]"), h("p.alert-progress"))));
  const document = putPage(t, h("p#notice-said"), h("p#notice-said-now"), h("div#over-page.over-page", h("div#alerts")), template);
  const store = createAnnouncements({ contest, notices: [notice] });
  const page = livePage();
  showAlerts(store, page.streams.news, BELL);
  const sent = (name) => page.sockets("news").flatMap((socket) => socket.frames("command")).filter((command) => command.name === name);
  const answer = (command, ok = true) => page.socket().receive({ type: "reply", client_seq: command.client_seq, ok, data: {}, error: { message: "no" } });
  const alert = () => document.querySelector("[data-notice-id=\"5\"]");
  return {
    document, store, page, sent, answer, alert,
    /** What was put off for a moment has been done by then. */
    turn: () => t.mock.timers.tick(1),
    progress: () => alert()?.querySelector(".alert-progress").textContent,
    press: () => fire(alert().querySelector("form"), "submit"),
  };
}

test("an alert that has to be confirmed stays on a dead path, says when the server does not answer, and goes with its answer", (t) => {
  const { page, sent, answer, alert, press, progress } = alertOnPage(t);
  assert.equal(press().defaultPrevented, true, "it goes over the live connection");
  assert.deepEqual([alert().querySelector("button").disabled, progress()], [true, "sending …"]);
  page.pass(9_999);
  assert.equal(progress(), "sending …");
  page.pass(1);
  assert.equal(progress(), "not confirmed yet: waiting for the server");
  const [ack] = sent("ack");
  assert.deepEqual(ack.data, { notices: [{ id: 5, version: 1 }] });
  answer(ack);
  assert.equal(alert(), null);
});

for (const required of [true, false]) {
  test(`an alert ${required ? "to confirm" : "to be marked as read"} stays while the page is not live, says that it waits, and goes when the server has it`, (t) => {
    const { page, sent, answer, alert, press, progress } = alertOnPage(t, { ...lunch, requires_ack: required });
    answer(sent("delivered")[0]);
    page.socket().close(1006);
    press();
    assert.deepEqual([progress(), alert().querySelector("button").disabled], ["not sent yet: waiting for the connection", true]);
    page.pass(300);
    page.socket().accept({ cursor: at(3) });
    assert.equal(progress(), "sending …");
    page.tell("visible");
    assert.equal(progress(), "not confirmed yet: waiting for the connection", "the path is in doubt");
    answer(sent("ack")[0]);
    assert.equal(alert(), null);
  });
}

test("what waits too long without a connection is given back, where it was", (t) => {
  const { page, alert, press, progress } = alertOnPage(t, { ...lunch, requires_ack: false });
  page.socket().close(1006);
  press();
  for (let passed = 0; passed < 121_000; passed += 1_000) {
    page.pass(1_000);
    page.environment.sockets.forEach((socket) => socket.retired || socket.close(1006));
  }
  assert.deepEqual([progress(), alert().querySelector("button").disabled], ["This did not get through. Please try again.", false]);
});

test("of a newer version nothing was pressed", (t) => {
  const { store, page, alert, press, progress } = alertOnPage(t);
  press();
  store.apply({ name: "announcement.edited", data: { ...lunch, version: 2 } });
  page.pass(10_000);
  assert.deepEqual([progress(), alert().querySelector("button").disabled], ["", false]);
});

test("a confirmation that is refused or never arrives is asked for again, and where no connection can carry it the form goes", async (t) => {
  const { turn, page, sent, answer, alert, press, progress } = alertOnPage(t);
  press();
  answer(sent("ack")[0], false);
  assert.deepEqual([progress(), alert().querySelector("button").disabled], ["no", false]);
  page.socket().close(4000);
  press();
  await Promise.resolve();
  assert.equal(alert().querySelector("form").submitted, undefined, "browsers are still telling of the press");
  turn();
  assert.equal(alert().querySelector("form").submitted?.defaultPrevented, false, "nobody takes it for another press");
});

test("a confirmation whose session has ended does not take the page away, with what was typed in it", (t) => {
  const { turn, document, page, alert, press, progress } = alertOnPage(t);
  press();
  page.socket().close(4002);
  document.body.dataset.session = "out"; // as the page learns in the same turn
  turn();
  assert.deepEqual([alert().querySelector("form").submitted, progress()], [undefined, "This did not get through. Please try again."]);
});

test("a confirmation of whoever is shut out meanwhile, or has been, does not take the page away", (t) => {
  const { turn, document, page, alert, press, progress } = alertOnPage(t);
  sayShutOut(page.streams.news, /** @type {any} */ ({ contest: "demo" }));
  press();
  page.socket().receive({ type: "end", code: "forbidden", message: "You are excluded." });
  page.socket().close(4003);
  turn();
  assert.equal(document.querySelector("#alerts").dataset.shut, "", "the premise");
  assert.deepEqual([alert().querySelector("form").submitted, alert().querySelector("button").disabled, progress()], [undefined, true, "You are excluded."]);
  press(); // by whatever way
  turn();
  assert.deepEqual([alert().querySelector("form").submitted, alert().querySelector("button").disabled], [undefined, true]);
});

test("what is not confirmed keeps saying so when something else arrives", (t) => {
  const { store, page, press, progress } = alertOnPage(t);
  press();
  page.pass(10_000);
  assert.equal(progress(), "not confirmed yet: waiting for the server");
  store.apply({ name: "announcement.posted", data: { ...lunch, id: 6 } });
  assert.equal(progress(), "not confirmed yet: waiting for the server");
});

test("the tab's title counts what is unread", (t) => {
  const { document, store } = alertOnPage(t);
  assert.equal(document.title, "(1) Contest");
  store.apply({ name: "announcement.posted", data: { ...lunch, id: 6 } });
  assert.equal(document.title, "(2) Contest");
  store.apply({ name: "announcement.confirmed", data: { notices: [{ id: 5, version: 1 }, { id: 6, version: 1 }] } });
  assert.equal(document.title, "Contest");
});

test("what nobody looks at is not told as delivered, until somebody does", (t) => {
  const { document, store, sent } = alertOnPage(t);
  document.visibilityState = "hidden";
  store.apply({ name: "announcement.posted", data: { ...lunch, id: 6 } });
  assert.equal(sent("delivered").length, 1);
  document.visibilityState = "visible";
  document.dispatchEvent(new Event("visibilitychange"));
  assert.deepEqual(sent("delivered").slice(1).map(({ data }) => data.notices), [[{ id: 6, version: 1 }]]);
});

test("a notice below the window, or in the part of the stack that is scrolled away, is told as delivered when it is on the screen", (t) => {
  const { document, store, sent } = alertOnPage(t);
  const stack = document.querySelector(".over-page");
  const list = document.querySelector("#alerts");
  const resized = [];
  globalThis.addEventListener = (type, run) => type === "resize" && resized.push(run);
  tellShifts(stack, list);
  const told = () => sent("delivered").slice(1).map(({ data }) => data.notices[0].id);
  const post = (id) => store.apply({ name: "announcement.posted", data: { ...lunch, id } });
  const put = (id, top, bottom) => { list.querySelector(`[data-notice-id="${id}"]`).querySelector(".alert-title").box = { top, bottom }; };
  stack.box = { top: 700, bottom: 700 }; // nothing new is on the screen before it has its place
  for (const id of [6, 7, 8]) post(id);
  assert.deepEqual(told(), [], "the premise: nobody was told of them");
  stack.box = { top: 100, bottom: 900 };
  put(6, 620, 645);
  put(7, 700, 725);
  put(8, 60, 85);
  fire(stack, "scroll");
  assert.deepEqual(told(), [6], "of the others one sticks out of the window, the other was scrolled up");
  globalThis.innerHeight = 800;
  resized.forEach((run) => run());
  assert.deepEqual(told(), [6, 7]);
  put(8, 99.5, 125);
  fire(stack, "animationend");
  assert.deepEqual(told(), [6, 7, 8], "half a pixel is nothing");
  stack.box = { top: 700, bottom: 700 };
  post(9);
  stack.box = { top: 100, bottom: 400 };
  put(9, 90, 500);
  fire(stack, "scroll");
  assert.deepEqual(told(), [6, 7, 8, 9], "one that is higher than the room fills it");
});

test("a notice on the screen is told to the server as delivered, once for each version", (t) => {
  const { store, sent, answer } = alertOnPage(t);
  assert.deepEqual(sent("delivered").map(({ data }) => data.notices), [[{ id: 5, version: 1 }]]);
  answer(sent("delivered")[0]);
  store.apply({ name: "announcement.posted", data: { ...lunch, id: 6 } });
  store.apply({ name: "announcement.edited", data: { ...lunch, version: 2 } });
  assert.deepEqual(sent("delivered").map(({ data }) => data.notices), [[{ id: 5, version: 1 }], [{ id: 6, version: 1 }], [{ id: 5, version: 2 }]]);
});

for (const [how, lose, back] of [
  ["for two minutes", (page) => {
    page.environment.sockets.forEach((socket) => socket.retired || socket.close(1006));
    for (let passed = 0; passed < 130_000; passed += 1_000) {
      page.pass(1_000);
      page.environment.sockets.forEach((socket) => socket.retired || socket.close(1006));
    }
  }, (page) => page.link.tryNow()],
  ["because the page was being left", (page) => page.tell("leaving"), (page) => page.tell("pageshow")],
]) {
  test(`what could not be told as delivered ${how} is told when the connection is back, and then once`, (t) => {
    const { store, page, sent, answer } = alertOnPage(t);
    answer(sent("delivered")[0]);
    page.socket().close(1006);
    store.apply({ name: "announcement.posted", data: { ...lunch, id: 6 } });
    lose(page);
    assert.equal(sent("delivered").length, 1, "the premise: it never went out");
    assert.deepEqual(page.inside().queued, [], "and nothing waits any more");
    back(page);
    page.pass(0);
    page.socket().accept({ cursor: at(3) });
    assert.deepEqual(sent("delivered").slice(1).map(({ data }) => data.notices), [[{ id: 6, version: 1 }]]);
    answer(sent("delivered")[1]);
    page.socket().close(1006);
    page.pass(page.link.summary().nextTryMs);
    page.socket().accept({ cursor: at(3) });
    assert.equal(sent("delivered").length, 2);
  });
}
