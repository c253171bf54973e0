/**
 * The source of a solution on the problem page: the bundled editor where it can be had, the plain
 * text area otherwise. Both look the same to the rest of the page.
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
  form.addEventListener("submit", () => { if (editor !== null) area.value = editor.text(); }, { capture: true });
  mount(form, area, changed).then((mounted) => {
    editor = mounted;
    editor?.setLanguage(language);
  });
  return {
    text: () => editor?.text() ?? area.value,
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
  try {
    const { mountEditor } = await import(address);
    const hadFocus = document.activeElement === area;
    parent.hidden = false;
    const editor = mountEditor({ parent, text: area.value, language: "", label: "Source", onChange });
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
