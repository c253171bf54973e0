/** How many notices stand over a page, and what its button says of the others. */

import assert from "node:assert/strict";
import test from "node:test";

import { moreWords, stackState } from "../stack.js";

test("a desk shows three notices and folds four, a narrow screen folds two and gives way to a panel", () => {
  const shown = (count, given) => {
    const { state, hasMore } = stackState(count, { isOpen: false, isNarrow: false, hasPanel: false, ...given });
    return hasMore ? `${state}, with a button` : state;
  };
  assert.deepEqual([1, 3, 4].map((count) => shown(count)), ["open", "open", "folded, with a button"]);
  assert.deepEqual([1, 2, 3].map((count) => shown(count, { isNarrow: true })), ["folded", "folded, with a button", "folded, with a button"]);
  assert.deepEqual([3, 4].map((count) => shown(count, { isOpen: true })), ["open", "open, with a button"]);
  assert.equal(shown(2, { isOpen: true, isNarrow: true }), "open, with a button");
  assert.equal(shown(4, { isOpen: true, hasPanel: true }), "open, with a button", "a panel has its place beside them");
  assert.equal(shown(1, { isOpen: true, hasPanel: true, isNarrow: true }), "aside, with a button");
});

test("the button of the stack counts what it hides", () => {
  assert.equal(moreWords(3, "folded"), "2 more notices");
  assert.equal(moreWords(2, "folded"), "1 more notice");
  assert.equal(moreWords(1, "aside"), "1 notice");
});
