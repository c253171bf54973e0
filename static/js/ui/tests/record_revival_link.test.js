/** The revival of a record over the real link: one new socket asks for a snapshot. Without its guard this test never ends. */

import assert from "node:assert/strict";
import test from "node:test";

import { Page } from "../../realtime/tests/page.js";
import { createRecord } from "../../stores/record.js";
import { followRejudging } from "../record_revival.js";

test("a record stream that ended with 4001 is opened once more, from a snapshot", () => {
  let tell = (_event) => undefined;
  const real = new Page({ streams: ["announcements", "record"], handlers: { onEvent: (event) => tell(event) } });
  real.goLive();
  real.socket("record").close(4001);
  real.pass(100);
  assert.equal(real.state("record"), "ended", "the premise: nothing would bring it back by itself");
  assert.equal(real.sockets("record").length, 1);
  const store = createRecord({ record: { id: 9, version: 5, status: "final" }, cases: [] });
  const page = {
    link: real.link,
    hasEnded: (name) => real.link.summary().streams[name] === "ended",
    reopen: (name) => real.link.open({ name, url: `/ws/${name}`, cursor: null, onSnapshot: (data) => store.reset(data) }),
    onAnnouncement: (listener) => { tell = listener; },
    onReset: () => undefined,
  };
  followRejudging(page, store);
  const reopened = { name: "record.reopened", data: { id: 9, version: 6 } };
  real.socket("announcements").receive({ type: "event", topic: "contest", after: 3, seq: 4, id: "e4", ...reopened });
  real.pass(100);
  assert.equal(real.sockets("record").length, 2);
  assert.equal(real.state("record"), "connecting");
  real.acceptAll();
  assert.equal(real.hello("record").cursor, undefined, "it starts with a snapshot");
  assert.equal(real.state("announcements"), "live");
});
