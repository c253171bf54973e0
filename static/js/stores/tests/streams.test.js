/** What the second way is told of a contest's streams. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { fallbackOptions } from "../streams.js";

const path = new URL("../../../../realtime/tests/golden_frames.json", import.meta.url);
const { events: golden } = JSON.parse(readFileSync(path, "utf8"));

test("streams are called in the event stream's address as the server calls them", () => {
  const { nameOf } = fallbackOptions("cup");
  assert.equal(nameOf("/ws/contests/cup/announcements"), golden.first);
  assert.equal(nameOf("/ws/records/17"), golden.resumed);
});

test("the token is read from the cookies as they are when a request goes out", () => {
  const { csrfToken } = fallbackOptions("cup");
  try {
    for (const [cookie, token] of [["csrftoken=abc", "abc"], ["a=b; csrftoken=x1; c=d", "x1"], ["xcsrftoken=no", ""], ["", ""]]) {
      globalThis.document = { cookie };
      assert.equal(csrfToken(), token);
    }
  } finally {
    delete globalThis.document;
  }
});
