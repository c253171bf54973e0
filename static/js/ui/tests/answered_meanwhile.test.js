/** What a juror sees who is still writing when another one answers. */

import assert from "node:assert/strict";
import test from "node:test";

import { sayAnsweredMeanwhile } from "../answered_meanwhile.js";
import { h, putPage } from "./fake_page.js";

const row = (version, line, ...more) => h(`article[data-clarification-id="3"][data-version="${version}"]`, h("p.quiet", line), h("textarea"), h("div.meanwhile[data-version]"), ...more);
const answered = (version, words) => row(version, "General · answered by grace", h("template", h("p", words)));

test("who and what stand in the row, and what is typed and what it was made against stay", (t) => {
  const shown = row(1, "General");
  putPage(t, shown);
  const area = shown.querySelector("textarea");
  area.value = "half an answer";
  sayAnsweredMeanwhile(shown, answered(2, "grace has answered: Yes."));
  assert.equal(shown.querySelector(".meanwhile").textContent, "grace has answered: Yes.");
  assert.equal(shown.querySelector("p.quiet").textContent, "General · answered by grace");
  assert.ok(shown.hasAttribute("data-answered"), "it looks unanswered");
  assert.equal(shown.querySelector("textarea"), area);
  assert.deepEqual([area.value, shown.getAttribute("data-version")], ["half an answer", "1"]);
});

test("the same answer is said once, and the next one anew", (t) => {
  const shown = row(1, "General");
  putPage(t, shown);
  sayAnsweredMeanwhile(shown, answered(2, "Yes."));
  const said = shown.querySelector(".meanwhile").firstElementChild;
  sayAnsweredMeanwhile(shown, answered(2, "Yes."));
  assert.equal(shown.querySelector(".meanwhile").firstElementChild, said, "it would be heard again");
  sayAnsweredMeanwhile(shown, answered(3, "No."));
  assert.equal(shown.querySelector(".meanwhile").textContent, "No.");
});
