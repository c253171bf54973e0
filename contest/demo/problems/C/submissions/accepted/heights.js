// Stretches between equal heights are calm.
const notes = require("fs").readFileSync(0, "utf8").trim();
const seen = new Map([[0, 1]]);
let height = 0;
let calm = 0;
for (const letter of notes) {
  height += letter === "U" ? 1 : -1;
  const before = seen.get(height) ?? 0;
  calm += before;
  seen.set(height, before + 1);
}
console.log(String(calm));
