/** Choosing whom a notice is for: a field that narrows the list down, and a count of those chosen. */

import { element, find, setShown, setText } from "./dom.js";

/** Works on the plain form, which does without it. */
export function assistAudience() {
  const list = find(document, "#id_recipients", HTMLSelectElement);
  const search = find(document, "#audience-search", HTMLInputElement);
  const some = find(document, "#audience input[value=some]", HTMLInputElement);
  if (list === null || search === null || some === null) return;
  setShown(document, "#audience-search-field", true);
  // Chosen by clicks alone, so that a search in between takes nobody away.
  list.addEventListener("mousedown", (event) => {
    const option = event.target;
    if (!(option instanceof HTMLOptionElement)) return;
    event.preventDefault();
    option.selected = !option.selected;
    list.dispatchEvent(new Event("change"));
  });
  list.addEventListener("change", () => {
    some.checked = some.checked || list.selectedOptions.length > 0;
    show();
  });
  for (const choice of document.querySelectorAll("#audience input[type=radio]")) choice.addEventListener("change", () => show());
  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    for (const option of list.options) option.hidden = !option.text.toLowerCase().includes(wanted);
  });
  const show = () => {
    setText(document, "#audience-count", some.checked ? `${list.selectedOptions.length} chosen` : "");
    element(document, "#audience")?.toggleAttribute("data-some", some.checked);
  };
  show();
}
