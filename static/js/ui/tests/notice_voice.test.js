/** What a screen reader says of notices. */

import assert from "node:assert/strict";
import test from "node:test";

import { isUrgent, noticeVoice } from "../notice_voice.js";
import { h, putPage } from "./fake_page.js";

const MOMENT_MS = 60;
const lunch = { id: 5, version: 1, title: "Lunch", html: "At noon.", level: "info", problem: null, posted_at: "2026-05-01T10:00:00.000Z", requires_ack: false };
const fire = { ...lunch, id: 6, title: "Fire", level: "critical" };
const forms = { ...lunch, id: 7, title: "Forms", requires_ack: true };

function voiceOnPage(t, wasHeard = () => false) {
  const document = putPage(t, h("p#notice-said"), h("p#notice-said-now"), h("div#alerts"));
  const announce = noticeVoice(document.querySelector("#alerts"), wasHeard);
  const said = () => {
    t.mock.timers.tick(MOMENT_MS);
    return ["#notice-said", "#notice-said-now"].map((place) => document.querySelector(place).textContent.trim());
  };
  return { announce, said };
}

test("what is critical or has to be confirmed is said at once, everything else in its turn", (t) => {
  const { announce, said } = voiceOnPage(t);
  announce([lunch]);
  assert.deepEqual(said(), ["Notice: Lunch.", ""]);
  announce([lunch, fire, forms]);
  assert.deepEqual(said(), ["Notice: Lunch.", "Notice: Fire.  Notice: Forms."], "and together, not one over the other");
});

test("each version is said once; on a page that is opened, what was heard on another one is only named", (t) => {
  const { announce, said } = voiceOnPage(t, ({ id }) => id === 5);
  announce([lunch]);
  assert.deepEqual(said(), ["Still to read: Lunch.", ""]);
  announce([lunch]);
  announce([{ ...lunch, version: 2 }]);
  assert.deepEqual(said(), ["Notice: Lunch.", ""]);
});

test("critical notices and those to confirm interrupt, all others wait", () => {
  assert.deepEqual([isUrgent(fire), isUrgent(forms), isUrgent({ ...lunch, level: "important" })], [true, true, false]);
});
