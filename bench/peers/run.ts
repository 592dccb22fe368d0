// `npm run bench:peers` compares the gateway with Kill Bill on this machine, by turns; `-- --quick` does so roughly, `-- --write` puts the
// figures and the chart into docs/peers.md, `-- --from <file>` takes them from a stored result. Everything that it starts or writes elsewhere is gone when it ends.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { newFolder } from "../data.ts";
import { databaseFacts, machineFacts } from "../machine.ts";
import { undoing } from "../undo.ts";
import { HASH_ROUNDS, openKillBill } from "./killbill.ts";
import { findNeeds } from "./needs.ts";
import { writePage } from "./page.ts";
import { openFaregate } from "./peer.ts";
import { lines, type PeersResult } from "./result.ts";
import { FULL, measurePeers, QUICK } from "./turns.ts";

const RESULTS = join(import.meta.dirname, "../results");
const [flag, text] = [{ type: "boolean" }, { type: "string" }] as const;
const { values } = parseArgs({
  options: { quick: flag, write: flag, from: text, turns: text, seconds: text, "warm-up": text },
});
const say = (line: string) => console.log(line);

if (values.from !== undefined) tell(JSON.parse(readFileSync(values.from, "utf8")) as PeersResult);
else {
  const needs = findNeeds(process.env);
  if ("war" in needs)
    await undoing(async (undo) => {
      const usual = values.quick ? QUICK : FULL;
      const plan = {
        ...usual,
        turns: above0("turns", usual.turns),
        secondsAPoint: above0("seconds", usual.secondsAPoint),
        warmUpSeconds: above0("warm-up", usual.warmUpSeconds),
      };
      const [at, machine] = [new Date().toISOString(), machineFacts(newFolder(undo))];
      const peers = [await openFaregate(undo), await openKillBill(undo, needs, say)];
      const database = databaseFacts(peers[0]?.databasePid ?? 0);
      const measured = await measurePeers(peers, plan, say);
      const { version, javaVersion, tomcatVersion } = needs;
      const killBill = { version, javaVersion, tomcatVersion, hashRounds: HASH_ROUNDS };
      const result: PeersResult = { at, machine, postgres: database.version, killBill, plan, ...measured };
      mkdirSync(RESULTS, { recursive: true });
      const file = join(RESULTS, `peers-${at.replaceAll(/[:.]/g, "-")}.json`);
      writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
      tell(result);
      say(file);
    });
  else {
    for (const line of needs) console.error(line);
    process.exitCode = 2;
  }
}

function tell(result: PeersResult): void {
  for (const line of lines(result)) say(line);
  if (values.write) for (const file of writePage(result)) say(`written: ${file}`);
}

function above0(name: "turns" | "seconds" | "warm-up", usual: number): number {
  const value = Number(values[name] ?? usual);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name} is a whole number above 0.`);
}
