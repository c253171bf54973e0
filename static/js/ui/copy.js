/** Copy buttons. Where the clipboard needs a secure context and there is none, the text is selected and copied the old way. */

/** How long a button says that it has copied. */
const SAID_MS = 1_500;

export function enableCopyButtons() {
  for (const button of document.querySelectorAll("button[data-copies]")) {
    if (!(button instanceof HTMLButtonElement)) continue;
    const source = document.getElementById(button.dataset["copies"] ?? "");
    if (source === null) continue;
    button.hidden = false;
    copyOnClick(button, () => source);
  }
}

/** @param {HTMLButtonElement} button @param {() => HTMLElement} source whose text is copied; on the screen by then */
export function copyOnClick(button, source) {
  const label = button.textContent;
  button.addEventListener("click", async () => {
    button.textContent = (await copy(source())) ? "Copied" : "Press Ctrl+C";
    setTimeout(() => { button.textContent = label; }, SAID_MS);
  });
}

/** @param {HTMLElement} source @returns {Promise<boolean>} false: it is selected, the person has to copy it */
async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.textContent ?? "");
    return true;
  } catch {
    getSelection()?.selectAllChildren(source);
    return document.execCommand("copy");
  }
}
