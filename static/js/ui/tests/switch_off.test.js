/** The keyboard stays at a button that is off for a while. */

import assert from "node:assert/strict";
import test from "node:test";

import { switchOff } from "../dom.js";
import { fire, h, putPage } from "./fake_page.js";

/** A button that has the focus is switched off, and the focus is nowhere, as browsers do it. */
function pressed(t) {
  const [run, text] = [h("button"), h("textarea")];
  const document = putPage(t, run, text);
  run.focus();
  switchOff(run, true);
  document.activeElement = document.body;
  return { document, run, text };
}

test("a button that was pressed by the keyboard has it again when it is on again", (t) => {
  const { document, run } = pressed(t);
  switchOff(run, true);
  assert.equal(document.activeElement, document.body, "the premise");
  switchOff(run, false);
  assert.deepEqual([run.disabled, document.activeElement === run], [false, true]);
});

test("whoever has gone on to something else stays there", (t) => {
  const { document, run, text } = pressed(t);
  text.focus();
  switchOff(run, false);
  assert.equal(document.activeElement, text);
});

for (const [how, type] of [["written elsewhere", "focusin"], ["touched plain text", "pointerdown"]]) {
  test(`whoever has ${how} meanwhile is not brought back`, (t) => {
    const { document, run } = pressed(t);
    fire(document, type);
    switchOff(run, false);
    assert.equal(document.activeElement, document.body);
  });
}

test("a button that did not have the focus does not take it", (t) => {
  const run = h("button");
  const document = putPage(t, run);
  switchOff(run, true);
  switchOff(run, false);
  assert.equal(document.activeElement, document.body);
});

test("nor does one of a form that is shut", (t) => {
  const { document, run } = pressed(t);
  document.body.dataset.shut = "";
  switchOff(run, false);
  assert.deepEqual([run.disabled, document.activeElement === document.body], [true, true]);
});
