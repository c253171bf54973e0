/** The account's menu closes for whoever has done with it, and only then. */

import assert from "node:assert/strict";
import test from "node:test";

import { closeAccountMenu } from "../account_menu.js";
import { fire, h, putPage } from "./fake_page.js";

function openMenu(t) {
  const menu = h("details.account-menu", h("summary"), h("a.profile"));
  const document = putPage(t, menu, h("input.elsewhere"));
  closeAccountMenu();
  menu.open = true;
  return { menu, document, find: (place) => document.querySelector(place) };
}

test("Escape closes it, and the keyboard is on its name again", (t) => {
  const { menu, document, find } = openMenu(t);
  fire(find(".profile"), "keydown", { key: "Escape" });
  assert.deepEqual([menu.open, document.activeElement], [false, find("summary")]);
});

for (const [how, what] of [["a press", "pointerdown"], ["the focus", "focusin"]]) {
  test(`${how} elsewhere closes it and is left where it is, one inside does not close it`, (t) => {
    const { menu, document, find } = openMenu(t);
    for (const inside of [".profile", "summary"]) fire(find(inside), what);
    assert.equal(menu.open, true);
    fire(find(".elsewhere"), what);
    assert.deepEqual([menu.open, document.activeElement], [false, document.body]);
  });
}

test("a page of nobody has no menu and does without", (t) => {
  putPage(t, h("a.button"));
  closeAccountMenu();
});
