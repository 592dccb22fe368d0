// faregate keys: the data keys under which card numbers and the secrets of processor records are sealed.
import type { Command } from "commander";
import type { Sql } from "../journal/database.ts";
import { addMasterKey, masterKeysOf } from "../master-keys.ts";
import { showDataKeys } from "../merchants/data-keys.ts";
import type { Settings } from "../settings.ts";
import { group, leaf, type Output } from "./command.ts";
import { withOffice, withTables } from "./office.ts";
import { print, progress, table } from "./print.ts";
import { Refused } from "./refused.ts";
import { type Rotated, rotateKeys, untilGatewaysHave } from "./rotate-keys.ts";

export function keyCommands(faregate: Command): void {
  const keys = group(faregate, "keys", "The keys that seal card numbers and processors' secrets.");

  leaf(
    keys,
    "list",
    "List the data keys, oldest first, and how many card numbers and processors' secrets each seals.",
    "faregate keys list",
  ).action(async ({ json }: Output) => {
    const shown = (await withTables((sql) => showDataKeys(sql, true))).map((key) => ({
      ...key,
      created_at: key.created_at.toISOString(),
      retired_at: key.retired_at?.toISOString() ?? null,
    }));
    const headings = ["id", "state", "master key", "cards", "secrets", "messages at most", "created", "retired"];
    const rows = shown.map(({ cards_estimated: _, ...key }) => Object.values(key));
    print(json, { keys: shown }, () => table(headings, rows, "There are no data keys: nothing has been sealed yet."));
  });

  leaf(
    keys,
    "rotate",
    "Create a new data key and seal every card number and every secret of a processor record under it, while gateways run. " +
      "If it is interrupted, run it again to continue.",
    "faregate keys rotate",
  )
    .option("--new-master-key", "first add a new master key to the master key file; all gateways must share that file")
    .option(
      "--old-master-key-lost",
      "continue without it; card numbers and secrets that only it opens are lost, and listed",
    )
    .action(async ({ json, newMasterKey, oldMasterKeyLost = false }: Rotate) => {
      const rotated = await withOffice(async (office, author, settings) => {
        if (newMasterKey) await addForAll(office.sql, settings);
        const masterKeys = masterKeysOf(settings);
        if (masterKeys === undefined)
          throw new Refused(
            "there is no master key: set FAREGATE_MASTER_KEY or FAREGATE_MASTER_KEY_FILE as for the gateway",
          );
        return rotateKeys(office, author, masterKeys, progress, { oldMasterKeyLost });
      });
      print(json, asJson(rotated), () => inWords(rotated));
      refuseBroken(rotated);
    });
}

/** Behind the others until every gateway has read it: one that has its keys elsewhere never does. */
async function addForAll(sql: Sql, settings: Settings): Promise<void> {
  const added = addMasterKey(settings);
  try {
    await untilGatewaysHave(sql, added.id, progress);
  } catch (fault) {
    added.takeBack();
    throw fault;
  }
  added.putFirst();
}

const asJson = ({ key, resumed, looked, resealed, broken, secrets }: Rotated) => ({
  ...{ key, resumed, looked_at: looked, sealed_anew: resealed, broken },
  secrets_sealed_anew: secrets.resealed,
  broken_secrets: secrets.broken.map(({ processorId, name }) => ({ processor_id: processorId, setting: name })),
});

function inWords({ key, resealed, broken, secrets }: Rotated): string {
  const left = broken.length + secrets.broken.length;
  return `Sealed ${resealed} card numbers and ${secrets.resealed} secrets again. All are now under data key ${key}${left ? `, except ${left}` : ""}.`;
}

function refuseBroken({ broken, secrets }: Rotated): void {
  for (const row of broken.slice(0, MOST_NAMED))
    progress(`cannot be opened: ${"cardId" in row ? `stored card ${row.cardId}` : row.transactionId}`);
  for (const { processorId, name } of secrets.broken.slice(0, MOST_NAMED))
    progress(`cannot be opened: ${name} of processor ${processorId}. Set it again.`);
  const left = [
    ...(broken.length > 0 ? [`${broken.length} sealed card numbers`] : []),
    ...(secrets.broken.length > 0 ? [`${secrets.broken.length} secrets of processor records`] : []),
  ];
  if (left.length > 0) throw new Refused(`${left.join(" and ")} cannot be opened and stay unchanged`);
}

interface Rotate extends Output {
  readonly newMasterKey?: true;
  readonly oldMasterKeyLost?: boolean;
}

const MOST_NAMED = 100;
