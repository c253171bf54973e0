/** A record page whose stream has ended follows the record anew when it is judged again, and only then. */

import assert from "node:assert/strict";
import test from "node:test";

import { createRecord } from "../../stores/record.js";
import { followRejudging } from "../record_revival.js";

function stage(version = 5) {
  const heard = { announcement: [], reset: [], link: [] };
  const page = {
    ended: true, reopened: 0,
    hasEnded: () => page.ended,
    reopen: () => {
      page.reopened += 1;
      heard.link.forEach((each) => each()); // the old stream is shut: a change while it still counts as ended
      page.ended = false;
    },
    onAnnouncement: (listener) => heard.announcement.push(listener),
    onReset: (listener) => heard.reset.push(listener),
    link: { subscribe: (listener) => heard.link.push(listener) },
  };
  const store = createRecord({ record: { id: 9, version, status: "final" }, cases: [] });
  followRejudging(page, store);
  const tell = (name, data) => heard.announcement.forEach((listener) => listener({ name, data }));
  return { page, store, tell, reset: () => heard.reset.forEach((each) => each()), changed: () => heard.link.forEach((each) => each()) };
}

test("the stream is opened anew for this record alone", () => {
  const { page, tell } = stage();
  tell("record.reopened", { id: 8, version: 9 });
  tell("record.final", { id: 9, version: 9 });
  assert.equal(page.reopened, 0);
  tell("record.reopened", { id: 9, version: 6 });
  assert.equal(page.reopened, 1);
});

test("a stream that lives is left alone, and one that ends with what is old by then is opened anew", () => {
  const { page, tell, changed } = stage();
  page.ended = false;
  tell("record.reopened", { id: 9, version: 6 });
  changed();
  assert.equal(page.reopened, 0, "the server goes on telling");
  page.ended = true;
  changed();
  assert.equal(page.reopened, 1, "its end was sent before the server knew");
});

test("an end after the new judging is an end", () => {
  const { page, store, tell, changed } = stage();
  tell("record.reopened", { id: 9, version: 6 });
  store.reset({ record: { id: 9, version: 8, status: "final" }, cases: [] });
  page.ended = true;
  changed();
  assert.equal(page.reopened, 1);
});

test("after announcements that came as a whole it is looked at once", () => {
  const { page, reset } = stage();
  reset();
  assert.equal(page.reopened, 1);
});
