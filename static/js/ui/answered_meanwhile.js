/** Two jurors at one question: whoever still writes reads in that place what the other has answered. */

import { element, find } from "./dom.js";

/**
 * What is typed stays, and so does the version that the form was made against: an answer that its author may not have
 * read yet is not replaced by a press that was on its way.
 * @param {Element} shown in use
 * @param {Element} fresh the same question as the server shows it now
 */
export function sayAnsweredMeanwhile(shown, fresh) {
  const [place, words] = [element(shown, ".meanwhile"), find(fresh, "template", HTMLTemplateElement)];
  const version = fresh.getAttribute("data-version") ?? "";
  if (place === null || words === null || place.dataset["version"] === version) return;
  place.dataset["version"] = version;
  place.replaceChildren(...words.content.childNodes);
  const [line, freshLine] = [element(shown, "p.quiet"), element(fresh, "p.quiet")];
  if (freshLine !== null) line?.replaceWith(freshLine);
  shown.toggleAttribute("data-answered", true);
}
