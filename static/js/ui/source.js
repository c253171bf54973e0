/**
 * The source of a solution on the problem page: the bundled editor where it can be had, the plain
 * text area otherwise. Both look the same to the rest of the page: the text area has the text at
 * every moment, also while the editor stands in its place.
 */

import { element, find, setShown } from "./dom.js";

/**
 * @typedef {object} Source
 * @property {() => string} text
 * @property {(text: string) => void} setText
 * @property {(language: string) => void} setLanguage
 * @property {(listener: () => void) => void} onChange
 */

/** @typedef {{ text: () => string, setText: (text: string) => void, setLanguage: (id: string) => void, focus: () => void }} Editor */

/**
 * @param {HTMLFormElement} form
 * @returns {Source | null}
 */
export function openSource(form) {
  const area = find(form, "textarea[name=source]", HTMLTextAreaElement);
  if (area === null) return null;
  /** @type {(() => void)[]} */
  const listeners = [];
  const changed = () => listeners.forEach((listener) => listener());
  /** @type {Editor | null} */
  let editor = null;
  let language = "";
  area.addEventListener("input", changed);
  mount(form, area, changed).then((mounted) => {
    editor = mounted;
    editor?.setLanguage(language);
  });
  return {
    text: () => area.value,
    setText(text) {
      area.value = text;
      editor?.setText(text);
    },
    setLanguage(id) {
      language = id;
      editor?.setLanguage(id);
    },
    onChange: (listener) => { listeners.push(listener); },
  };
}

/**
 * Takes the text area's place, with what is in it at that moment. Without the bundle it stays.
 * @param {HTMLFormElement} form
 * @param {HTMLTextAreaElement} area
 * @param {() => void} onChange
 * @returns {Promise<Editor | null>}
 */
async function mount(form, area, onChange) {
  const [parent, address] = [element(form, "#editor"), form.dataset["editor"]];
  if (parent === null || !address) return null;
  const untilNobodyTypes = watchTyping(area);
  try {
    const { mountEditor } = await import(address);
    await untilNobodyTypes();
    const hadFocus = document.activeElement === area;
    parent.hidden = false;
    const editor = mountEditor({
      parent, text: area.value, selection: selectionOf(area), language: "", label: "Source",
      onChange() {
        area.value = editor.text();
        onChange();
      },
    });
    area.hidden = true;
    setShown(form, "#editor-keys", true);
    element(form, "#source-label")?.addEventListener("click", () => editor.focus());
    if (hadFocus) editor.focus();
    return editor;
  } catch (error) {
    parent.hidden = true;
    console.warn("The editor could not be loaded; the plain text area is used.", error);
    return null;
  }
}

/**
 * Over a slow line the editor comes late, and taking the place of a field in which somebody types would tear a word, or
 * what an input method composes, in two. So the plain text area stays as long as they do.
 * @param {HTMLTextAreaElement} area
 * @returns {() => Promise<void>}
 */
function watchTyping(area) {
  let isTypedInto = area.value !== area.defaultValue; // before this script was there
  for (const sign of ["input", "compositionstart"]) area.addEventListener(sign, () => { isTypedInto = true; }, { once: true });
  const isInUse = () => isTypedInto && document.activeElement === area;
  return () => new Promise((resolve) => {
    if (!isInUse()) return resolve();
    const watch = new AbortController();
    const look = () => {
      if (isInUse()) return;
      watch.abort();
      resolve();
    };
    // When what has led out of it is over, and not already when it loses the focus: a button that moves away under the mouse is not pressed.
    for (const end of ["click", "keyup"]) document.addEventListener(end, () => setTimeout(look), { capture: true, signal: watch.signal });
  });
}

/** @param {HTMLTextAreaElement} area */
function selectionOf({ selectionStart: start, selectionEnd: end, selectionDirection: direction }) {
  return direction === "backward" ? { anchor: end, head: start } : { anchor: start, head: end };
}
