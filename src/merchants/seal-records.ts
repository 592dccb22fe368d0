// Seals secrets in processor records that stand there: those of records from before secrets were sealed as they are, and those under
// data keys that are to be left anew. Both can stop anywhere and be run again, beside changes and beside each other: a record is
// written only if it is still what was read.

import { arrayOf } from "../journal/columns.ts";
import type { Sql } from "../journal/database.ts";
import { text } from "../journal/rows.ts";
import { NIL_UUID } from "../uuid.ts";
import type { Backoffice } from "./backoffice.ts";
import { CONCEALED } from "./kind-settings.ts";
import { type ProcessorRow, processorRow } from "./processors.ts";
import { type SealedSetting, type SettingSecrets, sealedApart, sealedColumn, sealedJson } from "./setting-secrets.ts";

/** @returns how many records had secrets that were not sealed */
export async function sealRecords(
  { sql, kinds }: Pick<Backoffice, "sql" | "kinds">,
  secrets: SettingSecrets,
): Promise<number> {
  let sealed = 0;
  for (const kind of kinds.values()) {
    const open = await sql`
      select id from processors where kind = ${kind.name} and settings ?| ${arrayOf(sql, "text", kind.secretSettings)}
      order by id`;
    for (const { id } of open) {
      const change = (row: ProcessorRow) => sealedApart(kind, row, withKept(row), secrets);
      if (await replaced(sql, text(id), change)) sealed++;
    }
  }
  return sealed;
}

/** One that stands as it is counts, whatever was sealed under its name: older versions know only the former. */
const withKept = ({ settings, sealed_settings }: ProcessorRow) => ({
  ...Object.fromEntries(Object.keys(sealed_settings).map((name) => [name, CONCEALED])),
  ...settings,
});

export interface ResealedSettings {
  readonly resealed: number;
  /** They were changed, or their key is gone. They stay as they are. */
  readonly broken: readonly { readonly processorId: string; readonly name: string }[];
}

const PORTION = 500;

/** One walk over all records. @param leaving the keys under which nothing is to stay */
export async function resealSettings(
  sql: Sql,
  secrets: SettingSecrets,
  leaving: ReadonlySet<number>,
): Promise<ResealedSettings> {
  let resealed = 0;
  const broken: { processorId: string; name: string }[] = [];
  for (let after = NIL_UUID; ; ) {
    const ids = await sql`
      select id from processors where id > ${after} and sealed_settings <> '{}' order by id limit ${PORTION}`;
    for (const one of ids) {
      const id = text(one.id);
      const walked = await resealRecord(sql, secrets, leaving, id);
      resealed += walked.resealed;
      broken.push(...walked.broken.map((name) => ({ processorId: id, name })));
    }
    const last = ids[PORTION - 1];
    if (last === undefined) return { resealed, broken };
    after = text(last.id);
  }
}

async function resealRecord(sql: Sql, secrets: SettingSecrets, leaving: ReadonlySet<number>, id: string) {
  let [resealed, broken]: [number, string[]] = [0, []];
  await replaced(sql, id, async (row) => {
    [resealed, broken] = [0, []];
    const anew: Record<string, SealedSetting> = { ...row.sealed_settings };
    for (const [name, sealed] of Object.entries(row.sealed_settings)) {
      if (!leaving.has(sealed.keyId)) continue;
      const place = { merchantId: row.merchant_id, processorId: row.id, name };
      const value = await secrets.open(sealed, place);
      if (value === undefined) broken.push(name);
      else {
        anew[name] = await secrets.seal(value, place);
        resealed++;
      }
    }
    return resealed === 0 ? undefined : { settings: row.settings, sealed_settings: anew };
  });
  return { resealed, broken };
}

type Change = Pick<ProcessorRow, "settings" | "sealed_settings">;

/** Reads again when somebody was faster. @returns whether it was changed */
async function replaced(
  sql: Sql,
  id: string,
  change: (row: ProcessorRow) => Promise<Change | undefined>,
): Promise<boolean> {
  for (;;) {
    const [found] = await sql`select * from processors where id = ${id}`;
    if (found === undefined) return false;
    const row = processorRow(found);
    const changed = await change(row);
    if (changed === undefined) return false;
    const written = await sql`
      update processors set settings = ${sql.json(changed.settings)},
        sealed_settings = ${sql.json(sealedJson(changed.sealed_settings))}
      where merchant_id = ${row.merchant_id} and id = ${id} and settings = ${sql.json(row.settings)}
        and sealed_settings = ${sql.json(sealedJson(row.sealed_settings))}`;
    if (written.count === 1) return true;
  }
}

/** Opens every secret of every record. */
export async function unopenedSecrets(sql: Sql, secrets: Pick<SettingSecrets, "open">) {
  let opened = 0;
  const unopened: { processorId: string; name: string }[] = [];
  const rows = await sql`select merchant_id, id, sealed_settings from processors where sealed_settings <> '{}'`;
  for (const row of rows) {
    const processorId = text(row.id);
    for (const [name, sealed] of Object.entries(sealedColumn(row.sealed_settings)))
      if ((await secrets.open(sealed, { merchantId: text(row.merchant_id), processorId, name })) === undefined)
        unopened.push({ processorId, name });
      else opened++;
  }
  return { opened, unopened };
}

/** How many secrets each data key seals. */
export async function countSettingsByKey(sql: Sql): Promise<ReadonlyMap<number, number>> {
  const rows = await sql<{ key_id: number; secrets: number }[]>`
    select (one.value ->> 'key')::int as key_id, count(*)::int as secrets
    from processors, jsonb_each(sealed_settings) one group by key_id`;
  return new Map(rows.map(({ key_id, secrets }) => [key_id, secrets]));
}
