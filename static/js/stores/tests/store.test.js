/** A store and those who show it: one that cannot must not keep the others from it, and is asked again. */

import assert from "node:assert/strict";
import test from "node:test";

import { at, event } from "../../realtime/tests/fake_environment.js";
import { Page } from "../../realtime/tests/page.js";
import { createRecords } from "../records.js";
import { createStore } from "../store.js";

test("a store tells its listeners of changes only, and no more after they have left", () => {
  const store = createStore(1);
  const heard = [];
  const leave = store.subscribe((value) => heard.push(value));
  store.set(1);
  store.set(2);
  leave();
  store.set(3);
  assert.deepEqual(heard, [1, 2]);
});

test("a listener that throws stops no other, and what it threw is thrown afterwards", () => {
  const store = createStore(1);
  const heard = [];
  let fails = false;
  store.subscribe(() => { if (fails) throw new Error("first"); });
  store.subscribe((value) => heard.push(value));
  store.subscribe(() => { if (fails) throw new Error("third"); });
  fails = true;
  assert.throws(() => store.set(2), ({ errors }) => errors.map(({ message }) => message).join() === "first,third");
  assert.deepEqual([store.get(), heard], [2, [1, 2]]);
});

test("whoever has thrown is told once more of the same value, the others are not, and nobody after it has worked", () => {
  const store = createStore(1);
  const heard = { weak: [], sound: [] };
  let fails = 0;
  store.subscribe((value) => {
    if (fails-- > 0) throw new Error("cannot show it");
    heard.weak.push(value);
  });
  store.subscribe((value) => heard.sound.push(value));
  fails = 2;
  assert.throws(() => store.set(2), /cannot show it/);
  assert.throws(() => store.set(2), /cannot show it/);
  store.set(2);
  store.set(2);
  assert.deepEqual(heard, { weak: [1, 2], sound: [1, 2] });
});

test("a listener that has left is not told again, and one that sets the store tells nobody twice", () => {
  const store = createStore(1);
  const heard = [];
  let fails = false;
  const leave = store.subscribe(() => { if (fails) throw new Error("gone soon"); });
  fails = true;
  assert.throws(() => store.set(2));
  leave();
  store.subscribe((value) => { if (value === 3) store.set(4); });
  store.subscribe((value) => heard.push(value));
  store.set(3);
  assert.deepEqual(heard, [2, 4]);
});

/** A list of records behind a live link, whose rendering throws for as long as it is told. */
function pageThatCannotShow(times) {
  const store = createRecords({ records: [] });
  const shown = [];
  let fails = 0;
  store.subscribe((records) => {
    if (fails-- > 0) throw new Error("cannot render");
    shown.push([...records.keys()]);
  });
  const page = new Page({ handlers: { onEvent: (each) => store.apply(each), onSnapshot: (data) => store.reset(data) } });
  page.goLive();
  fails = times;
  return { page, shown };
}

const updated = event(4, 3, { id: 9, version: 1, status: "queued" });
const told = { ...updated, name: "record.updated" };

test("a picture that could not be drawn is drawn after the reconnect: a page is not live with an old one", () => {
  const { page, shown } = pageThatCannotShow(1);
  page.socket().receive(told);
  assert.deepEqual([page.inside().cursor, page.inside().causes[0].cause], [at(3), "fault"], "the premise");
  page.pass(300);
  page.socket().accept({ cursor: at(4), events: [told] });
  assert.deepEqual([page.state("news"), shown], ["live", [[], [9]]]);
});

test("a picture that can never be drawn ends the stream with the third try, and the page says so", () => {
  const { page, shown } = pageThatCannotShow(Infinity);
  page.socket().receive(told);
  page.pass(page.link.summary().nextTryMs);
  page.socket().accept({ cursor: at(4), events: [told] });
  page.pass(page.link.summary().nextTryMs);
  page.socket().accept({ cursor: at(4), resumed: false, data: { records: [told.data] } });
  assert.deepEqual([page.state("news"), page.inside().ending.code, shown], ["ended", "fault", [[]]]);
});
