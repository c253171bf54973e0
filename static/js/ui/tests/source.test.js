/** The source, in the plain text area and in the editor that takes its place, late over a slow line. */

import assert from "node:assert/strict";
import test from "node:test";

import { openSource } from "../source.js";
import { fire, h, putPage } from "./fake_page.js";

/** As much of an editor as the page uses: `type` is somebody typing in it. */
const EDITOR = `data:text/javascript,${encodeURIComponent("export const mountEditor = (options) => globalThis.mountEditor(options);")}`;

function openPage(t, { value = "", defaultValue = "", typedBefore = false, focused = true } = {}) {
  const area = Object.assign(h("textarea[name=source]"), { defaultValue, value: typedBefore ? value : defaultValue, selectionStart: 0, selectionEnd: 0, selectionDirection: "none" });
  const [place, label, keys, elsewhere] = [h("div#editor[hidden]"), h("label#source-label"), h("p#editor-keys[hidden]"), h("input[name=file]")];
  const form = h("form", label, place, keys, area, elsewhere);
  form.dataset["editor"] = EDITOR;
  const document = putPage(t, form);
  const editors = [];
  globalThis.mountEditor = ({ text, selection, onChange }) => {
    const editor = {
      is: text, selection, hasFocus: false, text: () => editor.is, focus: () => { editor.hasFocus = true; document.activeElement = place; }, setLanguage: () => undefined,
      setText: (next) => editor.type(next), type: (next) => { editor.is = next; onChange(); },
    };
    editors.push(editor);
    return editor;
  };
  t.after(() => { delete globalThis.mountEditor; });
  if (focused) area.focus();
  const source = openSource(form);
  const changes = [];
  source.onChange(() => changes.push(source.text()));
  const come = async () => { for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => { setImmediate(resolve); }); };
  return {
    area, keys, label, place, elsewhere, source, changes, editors, come, shown: () => (area.hidden ? "editor" : "area"),
    type(words) {
      area.value += words;
      fire(area, "input");
    },
    /** To another field; and the click, or the key, that has led there is over. */
    async leave(sign = "click", { over = true } = {}) {
      elsewhere.focus();
      if (over) fire(elsewhere, sign);
      t.mock.timers.tick(0);
      await come();
    },
  };
}

test("the editor takes the place of a text area that nobody types in, with focus and selection", async (t) => {
  for (const [selectionDirection, selection] of [["none", { anchor: 4, head: 9 }], ["backward", { anchor: 9, head: 4 }]]) {
    t.mock.timers.reset();
    const page = openPage(t);
    page.source.setText("int main() {}"); // a draft
    Object.assign(page.area, { selectionStart: 4, selectionEnd: 9, selectionDirection });
    assert.equal(page.shown(), "area", "the premise: it is late");
    await page.come();
    assert.deepEqual([page.shown(), page.keys.hidden, page.place.hidden], ["editor", false, false]);
    assert.deepEqual([page.editors[0].is, page.editors[0].selection, page.editors[0].hasFocus], ["int main() {}", selection, true]);
  }
});

test("nobody's focus is taken to the editor, also where a text was typed", async (t) => {
  const page = openPage(t, { focused: false });
  page.type("int");
  await page.come();
  assert.deepEqual([page.shown(), page.editors[0].is, page.editors[0].hasFocus], ["editor", "int", false]);
});

test("while somebody types in the text area it stays, and does all the work, until it is left", async (t) => {
  for (const sign of ["click", "keyup"]) {
    t.mock.timers.reset();
    const page = openPage(t);
    page.type("int ");
    await page.come();
    fire(page.area, "keyup");
    t.mock.timers.tick(60_000);
    await page.come();
    page.type("main");
    assert.deepEqual([page.shown(), page.keys.hidden, page.place.hidden, page.source.text()], ["area", true, true, "int main"]);
    assert.deepEqual(page.changes, ["int ", "int main"]);
    await page.leave(sign);
    assert.deepEqual([page.shown(), page.keys.hidden, page.editors.map(({ is }) => is)], ["editor", false, ["int main"]], sign);
    assert.equal(page.editors[0].hasFocus, false);
    await page.leave();
    assert.equal(page.editors.length, 1, "once");
  }
});

test("what an input method has begun to compose, and what was typed before the script came, is typing too", async (t) => {
  const composing = openPage(t);
  fire(composing.area, "compositionstart");
  await composing.come();
  assert.equal(composing.shown(), "area");
  t.mock.timers.reset();
  const early = openPage(t, { typedBefore: true, value: "int" });
  await early.come();
  assert.equal(early.shown(), "area");
});

test("nothing moves under a pressed mouse button, nor for whoever is back in the text area", async (t) => {
  const page = openPage(t);
  page.type("int");
  await page.come();
  await page.leave("click", { over: false });
  assert.equal(page.shown(), "area", "the focus is lost when the button goes down");
  fire(page.label, "click");
  page.area.focus(); // what a click on its label does
  t.mock.timers.tick(0);
  await page.come();
  assert.equal(page.shown(), "area");
  await page.leave();
  assert.equal(page.shown(), "editor");
});

test("what is in the editor is in the text area at every moment, for the form and for whoever asks whether it was typed", async (t) => {
  const page = openPage(t);
  await page.come();
  page.editors[0].type("int main");
  assert.deepEqual([page.area.value, page.source.text(), page.changes], ["int main", "int main", ["int main"]]);
  page.source.setText("another draft");
  assert.deepEqual([page.area.value, page.editors[0].is], ["another draft", "another draft"]);
});
