/**
 * The menu of whoever is signed in, in the head of every page. Its summary opens and closes it without a script; with
 * one, Escape closes it, too, and so does whoever goes on elsewhere, by mouse, thumb or keyboard.
 */

import { closeOnEscape, find } from "./dom.js";

export function closeAccountMenu() {
  const menu = find(document, "details.account-menu", HTMLDetailsElement);
  if (menu === null) return;
  closeOnEscape(menu);
  // Not a click: Safari on a phone tells of none where nothing can be clicked.
  for (const what of ["pointerdown", "focusin"]) {
    document.addEventListener(what, ({ target }) => {
      if (menu.open && target instanceof Node && !menu.contains(target)) menu.open = false;
    });
  }
}
