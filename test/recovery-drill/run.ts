// `npm run recovery-drill -- --moments 20 --seed 7`: whether anything is lost, doubled or reversed wrongly when the database's machine is lost
// and restored to a random moment. Ends with exit code 1 if so, 2 where a program is missing.

import { parseArgs } from "node:util";
import { missingPrograms } from "../system-programs.ts";
import { runDrill } from "./drill.ts";

const { values } = parseArgs({ options: { moments: { type: "string", default: "20" }, seed: { type: "string" } } });
const whole = (name: "moments" | "seed", fallback: number): number => {
  const text = values[name] ?? String(fallback);
  if (!/^\d{1,9}$/.test(text) || (text === "0" && name === "moments")) {
    console.error(`--${name} is a whole number`);
    process.exit(2);
  }
  return Number(text);
};
const missing = missingPrograms("pgbackrest");
if (missing !== undefined) {
  console.error(`The drill needs ${missing}.`);
  process.exit(2);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(1));

const [moments, seed] = [whole("moments", 20), whole("seed", Date.now() % 1_000_000_000)];
console.log(`seed ${seed}`);
const all = await runDrill({ moments, seed }, console.log);
const sum = (what: "lost" | "doubled" | "reversedWrongly" | "chargedAgain" | "open") =>
  all.flatMap((moment) => moment[what]);
for (const what of ["lost", "doubled", "reversedWrongly", "chargedAgain", "open"] as const)
  for (const one of new Set(sum(what))) console.log(`${what}: ${one}`);
const wrong =
  sum("lost").length +
  sum("doubled").length +
  sum("reversedWrongly").length +
  sum("chargedAgain").length +
  sum("open").length;
const adopted = all.reduce((total, moment) => total + moment.adopted, 0);
const open = all.reduce((total, moment) => total + moment.adoptedOpen, 0);
const after = all.reduce((total, moment) => total + moment.after, 0);
console.log(
  `${moments} moments, ${all.at(-1)?.told} operations told as approved, ${after} of them after their moment, ${adopted} adopted (${open} of them open): ` +
    `lost ${sum("lost").length}, doubled ${sum("doubled").length}, reversed wrongly ${sum("reversedWrongly").length}, charged again ${sum("chargedAgain").length}`,
);
process.exit(wrong === 0 ? 0 : 1);
