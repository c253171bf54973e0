/** What the server has said of the fields of a form, beside them. */

/** @import { Answer } from "./posting.js" */

import { element } from "./dom.js";

/** @param {HTMLFormElement} form @param {Answer} answer */
export function showFieldErrors(form, answer) {
  if (answer.kind !== "refused") return;
  for (const [name, errors] of Object.entries(answer.fields)) {
    const field = element(form, `[name="${CSS.escape(name)}"]`)?.closest(".field");
    for (const words of errors) {
      field?.append(Object.assign(document.createElement("p"), { className: `error by-script ${name}-error`, textContent: words }));
    }
  }
}

/** Also those of the server's page. @param {HTMLFormElement} form */
export function forgetFieldErrors(form) {
  form.querySelectorAll(".field .error, .form-errors > p").forEach((said) => said.remove());
}
