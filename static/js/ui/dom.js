/** Small helpers for finding, cloning and filling elements. Nothing here makes HTML from data. */

/**
 * @template {Element} T
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => T} kind
 * @returns {T | null}
 */
export function find(root, selector, kind) {
  const found = root.querySelector(selector);
  return found instanceof kind ? found : null;
}

/**
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {HTMLElement | null}
 */
export function element(root, selector) {
  return find(root, selector, HTMLElement);
}

/** @param {ParentNode} root @param {string} selector @param {string} text */
export function setText(root, selector, text) {
  const found = root.querySelector(selector);
  if (found !== null && found.textContent !== text) found.textContent = text;
}

/** @param {ParentNode} root @param {string} selector @param {boolean} shown */
export function setShown(root, selector, shown) {
  const found = element(root, selector);
  if (found !== null) found.hidden = !shown;
}

/** Had the focus when it was switched off, where browsers drop it. @type {HTMLButtonElement | null} */
let dropped = null;

/** Whoever has gone on to something since is there now; a touch of plain text leaves the focus nowhere, and counts. */
const moveOn = () => { dropped = null; };

/**
 * A button of a form that is shut (`shut_out.js`) stays off, whatever the form has to say. One that had the focus gets
 * it back when it is on again, if it is nowhere.
 * @param {HTMLButtonElement | null} button
 * @param {boolean} off
 */
export function switchOff(button, off) {
  if (button === null) return;
  const isOff = off || button.closest("[data-shut]") !== null;
  if (isOff && document.activeElement === button) drop(button);
  button.disabled = isOff;
  if (isOff || button !== dropped) return;
  dropped = null;
  if (document.activeElement === document.body) button.focus({ preventScroll: true });
}

/** @param {HTMLButtonElement} button */
function drop(button) {
  dropped = button;
  for (const what of ["focusin", "pointerdown"]) document.addEventListener(what, moveOn, { capture: true, once: true });
}

/**
 * Escape closes it, and the keyboard is where it was opened from. Whoever has touched its plain text has the focus
 * nowhere, and means it too.
 * @param {HTMLDetailsElement} panel
 */
export function closeOnEscape(panel) {
  const close = (/** @type {KeyboardEvent} */ { key }) => {
    if (key !== "Escape" || !panel.open) return;
    panel.open = false;
    element(panel, "summary")?.focus();
  };
  panel.addEventListener("keydown", close);
  document.addEventListener("keydown", (event) => event.target === document.body && close(event));
}

/**
 * A fresh copy of the one element inside a `template` of the page.
 * @param {string} id
 * @returns {HTMLElement | null}
 */
export function copyOfTemplate(id) {
  const template = find(document, `#${id}`, HTMLTemplateElement);
  const copy = template?.content.firstElementChild?.cloneNode(true);
  return copy instanceof HTMLElement ? copy : null;
}

/**
 * Makes the children of `list` show `items` in order. An element stays itself while its item stays,
 * so that focus and selection survive; one that is new is copied from the template `templateId`.
 * @template T
 * @param {object} options
 * @param {HTMLElement} options.list
 * @param {string} options.templateId
 * @param {readonly T[]} options.items
 * @param {string} options.key name of the data attribute that identifies an item, as in `dataset`
 * @param {(item: T) => string} options.keyOf
 * @param {(element: HTMLElement, item: T, isNew: boolean) => void} options.fill
 */
export function showItems({ list, templateId, items, key, keyOf, fill }) {
  const known = new Map(childrenOf(list).map((child) => [child.dataset[key] ?? "", child]));
  const wanted = new Set(items.map(keyOf));
  for (const [name, child] of known) if (!wanted.has(name)) child.remove();
  let place = list.firstElementChild;
  for (const item of items) {
    const old = known.get(keyOf(item));
    const shown = old ?? copyOfTemplate(templateId);
    if (shown === null) return;
    fill(shown, item, old === undefined);
    if (shown === place) place = place.nextElementSibling;
    else list.insertBefore(shown, place);
  }
}

/** @param {HTMLElement} list @returns {HTMLElement[]} */
function childrenOf(list) {
  return [...list.children].filter((child) => child instanceof HTMLElement);
}
