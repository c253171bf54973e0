/**
 * The source editor: CodeMirror in a shadow root. There its style sheets are constructed objects
 * (adoptedStyleSheets), which the page's Content-Security-Policy allows; outside it would add a
 * `style` element, which the policy forbids. Bundled by tools/bundle.mjs.
 */

import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { java } from "@codemirror/lang-java";
import { javascript } from "@codemirror/lang-javascript";
import { python } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** @import { Extension } from "@codemirror/state" */

/** @type {Readonly<Record<string, () => Extension>>} ids of the contract that have a mode; the others are plain */
const MODES = Object.freeze({ c: cpp, cpp, java, javascript, python });

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.controlKeyword], color: "var(--code-keyword)", fontWeight: "600" },
  { tag: [tags.string, tags.character, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: [tags.comment, tags.meta, tags.processingInstruction], color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.typeName, tags.className, tags.namespace], color: "var(--code-type)" },
]);

const LOOK = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--surface)", fontSize: "0.9rem", height: "26rem", resize: "vertical", overflow: "auto" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--accent)" },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--quiet)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--accent-soft)" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent-soft) 45%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--accent)" },
});

/**
 * @param {object} options
 * @param {HTMLElement} options.parent an empty element, which gets a shadow root
 * @param {string} options.text
 * @param {{ anchor: number, head: number }} options.selection
 * @param {string} options.language
 * @param {string} options.label for screen readers
 * @param {() => void} options.onChange
 */
export function mountEditor({ parent, text, selection, language, label, onChange }) {
  const root = parent.attachShadow({ mode: "open" });
  const mode = new Compartment();
  const view = new EditorView({
    root,
    parent: /** @type {any} */ (root),
    state: EditorState.create({
      doc: text,
      selection,
      extensions: [
        lineNumbers(), highlightActiveLine(), highlightActiveLineGutter(), drawSelection(), history(), indentOnInput(), bracketMatching(),
        indentUnit.of("    "), EditorState.tabSize.of(4), mode.of(modeOf(language)), syntaxHighlighting(COLOURS), LOOK,
        keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ "aria-label": `${label}. Escape, then Tab, leaves the editor.`, spellcheck: "false" }),
        EditorView.updateListener.of((update) => { if (update.docChanged) onChange(); }),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),

    focus() {
      view.focus();
      view.dispatch({ scrollIntoView: true });
    },

    /** @param {string} next */
    setText: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),

    /** @param {string} id */
    setLanguage: (id) => view.dispatch({ effects: mode.reconfigure(modeOf(id)) }),
  };
}

/** @param {string} id @returns {Extension} */
function modeOf(id) {
  return MODES[id]?.() ?? [];
}
