// `node bin/run.mjs bench/rotation.ts [numbers] [sales a second]`: how long `faregate keys rotate` takes to seal as many card
// numbers anew, beside sales whose numbers are sealed too. Everything that it starts or writes is gone when it ends.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { v7 } from "uuid";
import { dataKeyStore } from "../src/journal/data-keys.ts";
import type { Sql } from "../src/journal/database.ts";
import { countByKey } from "../src/journal/sealed-cards.ts";
import { masterKeysOf } from "../src/master-keys.ts";
import { parseCardNumber } from "../src/payment/card.ts";
import { readSettings } from "../src/settings.ts";
import { dataKeys } from "../src/vault/data-keys.ts";
import { type Vault, vault } from "../src/vault/vault.ts";
import { acquirerHost, recordFor } from "./acquirer.ts";
import { runCommand } from "./command.ts";
import { newFolder, openDatabase } from "./data.ts";
import { launchGateway } from "./gateway.ts";
import { machineFacts } from "./machine.ts";
import { steadySales } from "./sales-beside.ts";
import { type Undo, undoing } from "./undo.ts";

const NUMBERS = Number(process.argv[2] ?? 1_000_000);
const SALES_PER_SECOND = Number(process.argv[3] ?? 50);
const WARM_UP_SECONDS = 5;
const ALONE_SECONDS = 10;
const PORTION = 5_000;

await undoing(measure);

async function measure(undo: Undo): Promise<void> {
  const folder = newFolder(undo);
  const machine = machineFacts(folder);
  const host = await acquirerHost(undo, join(folder, "books"));
  const gateway = await (await undo.started(launchGateway(["src/main.ts"], folder))).ready;
  const sql = await openDatabase(undo, folder);
  const usd = await recordFor(gateway, host, { card_number_in_follow_ups: true });
  const { sandbox } = gateway;
  await sealed(sql, cardsIn(sql, folder), sandbox.merchant_id);
  const sales = steadySales(undo, { ...gateway, sandbox: { ...sandbox, processors: { usd } } }, SALES_PER_SECOND);
  sales.phase("warm-up");
  await sleep(WARM_UP_SECONDS * 1000);
  sales.phase("alone");
  await sleep(ALONE_SECONDS * 1000);
  sales.phase("beside the rotation");
  const { code, seconds, cpuSeconds, peakMiB, stdout } = await runCommand(undo, folder, ["keys", "rotate"]);
  const figures = await sales.tell();
  const byKey = await countByKey(sql);
  console.log(`${machine.cores} cores (${machine.processor}), load before ${machine.loadBefore.toFixed(1)}`);
  console.log(`${stdout.trimEnd()} Exit code ${code}.`);
  console.log(
    `${seconds.toFixed(1)} s with the last wait, ${cpuSeconds.toFixed(1)} s of CPU, at most ${peakMiB.toFixed(0)} MiB`,
  );
  console.table(figures);
  const say = (met: boolean, what: string) => console.log(`  ${met ? "met   " : "MISSED"}  ${what}`);
  const all = [...byKey.values()].reduce((sum, count) => sum + count, 0);
  say(code === 0 && byKey.size === 1, `all ${all} numbers are under one key`);
  say(all > NUMBERS, `${all - NUMBERS} of them came from the sales`);
  say(figures["beside the rotation"]?.failed === 0, "no sale beside it failed");
}

/** The vault of the gateway that runs on this folder. */
function cardsIn(sql: Sql, folder: string): Vault {
  const read = readSettings({ FAREGATE_DATA: folder });
  const masterKeys = read.ok ? masterKeysOf(read.settings) : undefined;
  if (masterKeys === undefined) throw new Error("The gateway has no master key.");
  return vault(
    dataKeys(
      dataKeyStore(sql, () => new Date()),
      masterKeys,
    ),
  );
}

/** As charges leave them that may have follow-ups for a year. */
async function sealed(sql: Sql, cards: Vault, merchantId: string): Promise<void> {
  const number = parseCardNumber("4111111111111111");
  if (number === undefined) throw new Error("broken invariant: a card number");
  const lookAt = new Date(Date.now() + 365 * 24 * 3_600_000);
  for (let count = 0; count < NUMBERS; count += PORTION) {
    const rows = [];
    for (let nth = count; nth < Math.min(count + PORTION, NUMBERS); nth++) {
      const transactionId = v7();
      const { keyId, sealed } = await cards.seal(number, { merchantId, transactionId });
      rows.push({ merchant_id: merchantId, transaction_id: transactionId, key_id: keyId, sealed, look_at: lookAt });
    }
    await sql`insert into sealed_cards ${sql(rows)}`;
  }
  await sql`analyze sealed_cards`;
}
