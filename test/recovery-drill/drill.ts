// The drill: sell, back up, lose the machine, restore to a random moment, recover by docs/backups.md and docs/recovery.md, and compare what
// merchants were told with the journal and the processors' books. Then the next moment, on what was restored.

import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Chance, chanceFrom } from "../simulation/chance.ts";
import { type DrillHouse, openHouse, type Recovered, recover, verdictAtRest } from "./house.ts";
import { type Machine, openMachine } from "./machine.ts";
import { chargedAgain, openShop, type Told } from "./shop.ts";
import type { Verdict } from "./verdict.ts";

interface DrillPlan {
  readonly moments: number;
  readonly seed: number;
}

interface Moment extends Verdict, Recovered {
  /** The target of the restore. */
  readonly at: string;
  readonly gateway: Fate;
  /** Operations that were told as approved, in all moments so far. */
  readonly told: number;
  /** Of this moment: approved after the target, so that the restored database does not have them. */
  readonly after: number;
  readonly unanswered: number;
  /** Charges of this moment that were repeated with their keys, and those of them that were not answered as what they had been. */
  readonly repeated: number;
  readonly chargedAgain: readonly string[];
  readonly recoveryMs: number;
}

/** What becomes of the gateway when the database's machine is lost. */
const FATES = ["runs on", "dies, with its fence file", "dies, and the fence file too"] as const;
type Fate = (typeof FATES)[number];

const SOLD_MS = 2_500;
const MOST_NAMED = 20;
/** Of the archive, instead of to a moment. */
const TO_THE_END = 0.2;

/** @param say is told of each moment, in one line */
export async function runDrill({ moments, seed }: DrillPlan, say: (line: string) => void): Promise<readonly Moment[]> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "faregate-drill-"));
  chmodSync(folder, 0o711);
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const machine = await openMachine(folder);
    undo.push(machine.end);
    const house = await openHouse(folder, undo, machine.cluster);
    await machine.page("alter system set archive_mode");
    const chance = chanceFrom(seed);
    const told: Told[] = [];
    const all: Moment[] = [];
    for (let nth = 1; nth <= moments; nth++) {
      const moment = await runMoment(machine, house, told, chance);
      all.push(moment);
      const { lost, doubled, reversedWrongly, chargedAgain, repeated } = moment;
      say(
        `${nth}: restored to ${moment.at}, the gateway ${moment.gateway}; ${moment.told} told, ${moment.after} after the moment, ` +
          `${moment.adopted} adopted (${moment.adoptedOpen} of them open), recovered in ${(moment.recoveryMs / 1000).toFixed(1)} s; lost ${lost.length}, ` +
          `doubled ${doubled.length}, reversed wrongly ${reversedWrongly.length}, charged again ${chargedAgain.length} of ${repeated} that were repeated; ${moment.released.length} lost after their void`,
      );
      for (const one of [...lost, ...doubled, ...reversedWrongly, ...chargedAgain, ...moment.open].slice(0, MOST_NAMED))
        say(`   ${one}`);
    }
    return all;
  } finally {
    for (const step of undo.splice(0).reverse()) await step();
    if (process.env.DRILL_KEEP === undefined) rmSync(folder, { recursive: true, force: true });
    else say(`kept: ${folder}`);
  }
}

async function runMoment(machine: Machine, house: DrillHouse, told: Told[], chance: Chance): Promise<Moment> {
  const { gateways, sandbox, records } = house;
  const [gateway] = gateways;
  const at = [records.acquirer, records.stripe] as const;
  const sell = () => openShop(gateway.url, sandbox.api_token, at, new Set([records.acquirer]), chance);
  await gateway.ready();
  const before = sell();
  await machine.page(told.length === 0 ? "--type=full backup" : "--type=incr backup");
  if (told.length === 0) await machine.page("backup check");
  await before.close();
  const shop = sell();
  await sleep(300);
  const sinceMs = Date.now();
  await sleep(SOLD_MS);
  // By the machine's one clock.
  const targetMs = sinceMs + chance.below(Date.now() - sinceMs);
  await machine.archived();
  const archivedMs = Date.now();
  await sleep(chance.below(500));
  const toEnd = chance.happens(TO_THE_END);
  const fate = chance.pick(FATES);
  await machine.lose();
  if (fate !== "runs on") gateway.kill();
  if (fate === "dies, and the fence file too") rmSync(gateway.fence, { force: true });
  await shop.close();
  told.push(...before.told, ...shop.told);
  const target = new Date(targetMs).toISOString().replace("T", " ").replace("Z", "+00");
  const began = performance.now();
  if (toEnd) await machine.page("--delta restore");
  else await machine.page("--type=time", { "2030-05-15 09:30:00+00": target });
  const found = await recover(house);
  const recoveryMs = performance.now() - began;
  const verdict = await verdictAtRest(house, told);
  // What was authorized and voided at Stripe is not adopted, so its key is not known either.
  const released = new Set(verdict.released);
  const charges = [...before.charged, ...shop.charged].filter(({ transaction }) => !released.has(transaction));
  const repeated = await chargedAgain(gateway.url, sandbox.api_token, charges);
  const after = shop.told.filter(({ atMs }) => atMs > (toEnd ? archivedMs : targetMs)).length;
  return {
    ...{ at: toEnd ? "the end of the archive" : target, gateway: fate, told: told.length, after, ...found, recoveryMs },
    ...{ ...verdict, chargedAgain: repeated, repeated: charges.length },
    unanswered: before.unanswered + shop.unanswered,
  };
}
