/** The submit form: which text goes when a file is chosen too. */

import { find, setText } from "./dom.js";

/** @param {HTMLFormElement} form */
export function guideSubmission(form) {
  const file = find(form, "input[type=file]", HTMLInputElement);
  const language = find(form, "select[name=language]", HTMLSelectElement);
  const button = find(form, "button[type=submit]", HTMLButtonElement);
  const forgetLanguageError = () => {
    if (language?.value) form.querySelectorAll(".language-error, .form-errors > p:has(a[href='#id_language'])").forEach((said) => said.remove());
  };
  forgetLanguageError(); // a draft may have brought the language that the server missed
  language?.addEventListener("change", forgetLanguageError);
  file?.addEventListener("change", () => {
    const name = file.files?.[0]?.name ?? "";
    if (button !== null) button.textContent = name === "" ? "Submit" : "Submit the file";
    setText(form, "#file-said", name === "" ? "" : `${name} will be submitted, not the text`);
    const guessed = language === null ? undefined : languageOf(name, language);
    if (language === null || guessed === undefined || guessed === language.value) return;
    language.value = guessed;
    language.dispatchEvent(new Event("change", { bubbles: true })); // the drafts are of a language each: as if it were chosen by hand
  });
}

/** @param {string} name @param {HTMLSelectElement} language @returns {string | undefined} id of the offered language with this file ending */
function languageOf(name, language) {
  const ends = (/** @type {HTMLOptionElement} */ option) => (option.dataset["extensions"] ?? "").split(" ").filter(Boolean);
  return [...language.options].find((option) => ends(option).some((ending) => name.toLowerCase().endsWith(ending)))?.value;
}
