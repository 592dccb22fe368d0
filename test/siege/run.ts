// `npm run siege -- --minutes 60 --seed 7 --only exports,unread --without webhook`: hostile clients of all kinds at once, and a
// merchant who sells meanwhile. Ends with exit code 1 if a promise was broken.

import { parseArgs } from "node:util";
import { undoing } from "../../bench/undo.ts";
import { judge } from "./judge.ts";
import { planOf } from "./plan.ts";
import { kindsWith } from "./registry.ts";
import { render } from "./report.ts";
import { besiege } from "./siege.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    only: { type: "string", default: "" },
    without: { type: "string", default: "" },
    /** Of the gateway's process, to look into it: `--node-options="--cpu-prof --cpu-prof-dir=profile"`. */
    "node-options": { type: "string", default: "" },
  },
});
const minutes = Number(values.minutes);
const words = (text: string): readonly string[] => text.split(",").filter((word) => word !== "");
const kinds = kindsWith(words(values.only), words(values.without));
if (!(minutes > 0 && minutes <= 24 * 60) || !/^\d{1,9}$/.test(values.seed) || kinds.length === 0) {
  console.error("--minutes is a number, --seed a whole one; --only and --without are words of the attackers' names");
  process.exit(2);
}
/** For the stock before; and then for the quiet, the calm and the clearing up. */
const BESIDE_MS = 3 * 60_000;

const plan = planOf(
  minutes,
  Number(values.seed),
  kinds.map(({ name }) => name),
);
console.log(`seed ${plan.seed}; ${kinds.length} kinds of attackers, ${minutes} minutes`);
const stopLate = () => {
  console.error("it did not come to its end in time");
  process.kill(process.pid, "SIGTERM");
};
let hardStop = setTimeout(stopLate, BESIDE_MS);
const begun = () => {
  clearTimeout(hardStop);
  hardStop = setTimeout(stopLate, plan.siegeMs + BESIDE_MS);
};

await undoing(async (undo) => {
  const say = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
  const nodeOptions = values["node-options"].split(" ").filter((option) => option !== "");
  const findings = await besiege(undo, plan, { say, begun, nodeOptions });
  const verdicts = judge(findings);
  console.log(render(findings, verdicts));
  if (verdicts.some(({ kept }) => !kept)) process.exitCode = 1;
});
clearTimeout(hardStop);
