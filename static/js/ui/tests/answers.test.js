/** What is said of an answer beside the page it stands on. */

import assert from "node:assert/strict";
import test from "node:test";

import { sayAnswers } from "../answers.js";
import { h, putPage } from "./fake_page.js";

test("a notification, which is text alone, has the answer's words without their marks", (t) => {
  putPage(t, h("div#notes"), h("p#notice-said"));
  globalThis.DOMParser = class { parseFromString(html) { return { body: h("body", html.replaceAll(/<[^>]*>/g, "")) }; } };
  t.after(() => { delete globalThis.DOMParser; });
  const told = [];
  const state = (answer) => ({ clarifications: new Map([[7, { id: 7, version: answer === null ? 1 : 2, text: "Is N at most 5?", answer, answer_html: "<p><em>At most</em> 4.</p>\n" }]]) });
  let tell = (/** @type {any} */ _) => undefined;
  sayAnswers({ subscribe: (listener) => { tell = listener; } }, { contest: "demo", user: { id: 2 } }, { tell: ([thing]) => told.push(thing.text) });
  tell(state(null));
  assert.deepEqual(told, [], "the premise: it waits");
  tell(state("*At most* 4."));
  assert.deepEqual(told, ["You asked: “Is N at most 5?” At most 4."]);
});
