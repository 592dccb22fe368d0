// Processor records as the operator sees them: created, listed, changed. Secrets among the settings go in and never come
// out. How the hot path reads them stands in processor-lookup.ts.
import { isDeepStrictEqual } from "node:util";
import { setCaptureTime } from "../journal/auto-capture-rows.ts";
import type { Sql } from "../journal/database.ts";
import { flag, instant, object, orNull, type Reader, rowReader, text, words } from "../journal/rows.ts";
import type { TransactionSql } from "../journal/sql/sql.ts";
import { CARD_BRANDS } from "../payment/card-brand.ts";
import type { ConditionalFields } from "../payment/processor-record.ts";
import { nextAfter, type Schedule } from "../payment/settlement.ts";
import { isUuid } from "../uuid.ts";
import { timestamp } from "../validation/fields.ts";
import { noProblems, type Problems } from "../validation/problems.ts";
import { audited } from "./audit.ts";
import {
  type Author,
  type Backoffice,
  type Conflict,
  type Done,
  done,
  type Existed,
  type Invalid,
  invalid,
  limitOf,
  type Page,
  startOf,
  type Unknown,
  unknown,
} from "./backoffice.ts";
import { createdBefore, idFor } from "./given-id.ts";
import { concealSecrets, type Kinds } from "./kind-settings.ts";
import { findMerchant } from "./merchants.ts";
import { type Changeable, readNewProcessor, readProcessorChange } from "./processor-input.ts";
import type { NewProcessor, Processor } from "./processor-schema.ts";
import {
  problemsOfSecrets,
  type SealedSettings,
  sealedApart,
  sealedColumn,
  sealedJson,
  settingsWithDots,
  withoutKnownSecrets,
} from "./setting-secrets.ts";

/** With an entry in the audit log. */
export async function createProcessor(
  office: Backoffice,
  author: Author,
  merchantId: string,
  input: unknown,
): Promise<Done<Processor> | Existed<Processor> | Conflict | Invalid | Unknown> {
  const merchant = await findMerchant(office.sql, merchantId);
  if (merchant === undefined) return unknown("merchant", merchantId);
  const problems = problemsOfNewProcessor(office, input);
  if (!noProblems(problems)) return invalid(problems);
  const { value } = readNewProcessor(office, input);
  const { id: givenId, external_key, kind, currency } = input as NewProcessor;
  const now = office.clock.now();
  const given = { ...(givenId && { id: givenId }), ...(external_key && { external_key }) };
  const id = idFor("processor", merchant.id, given, now);
  const place = { merchant_id: merchant.id, id };
  const empty = { ...place, sealed_settings: {} };
  const stored = { ...value, ...(await sealedApart(office.kinds.get(kind), empty, value.settings, office.secrets)) };
  const row: ProcessorRow = { ...place, kind, currency, ...stored, created_at: now, updated_at: now };
  return audited<Done<Processor> | Existed<Processor> | Conflict | Invalid>(office, author, async (sql) => {
    const inserted = await sql`insert into processors ${sql({ ...row, ...json(sql, stored) })} on conflict do nothing`;
    if (inserted.count === 0) {
      const [there] = await sql`select * from processors where id = ${id}`;
      const before = processorRow(there ?? {});
      if (before.merchant_id !== merchant.id) return { result: invalid(TAKEN) };
      // A secret that is the same shows as dots on both sides.
      const settings = await withoutKnownSecrets(office.kinds.get(before.kind), before, value.settings, office.secrets);
      const wanted = { ...value, kind, currency, settings };
      return { result: createdBefore("processor", show(office.kinds, before), wanted) };
    }
    await scheduleCapture(sql, row, now, true);
    const after = show(office.kinds, row);
    return { result: done(after), entry: { action: "processor.create", subject: ["processor", id], after } };
  });
}

/** All that is wrong with it, also where a secret is in it and cannot be sealed here. */
export function problemsOfNewProcessor(office: Backoffice, input: unknown): Problems {
  const { problems, value } = readNewProcessor(office, input);
  const kind = office.kinds.get((input as NewProcessor | null)?.kind ?? "");
  return { ...problemsOfSecrets(kind, value.settings, office.secrets !== undefined), ...problems };
}

const TAKEN = { id: ["is taken by another processor record: choose another one, or leave it out"] };

/** What is named is changed, also inside of `requires`, `settlement` and `settings`. */
export async function changeProcessor(
  office: Backoffice,
  author: Author,
  id: string,
  input: unknown,
): Promise<Done<Processor> | Invalid | Unknown> {
  if (!isUuid(id)) return unknown("processor", id);
  return audited<Done<Processor> | Invalid | Unknown>(office, author, async (sql) => {
    const [found] = await sql`select * from processors where id = ${id} for update`;
    if (found === undefined) return { result: unknown("processor", id) };
    const row = processorRow(found);
    const kind = office.kinds.get(row.kind);
    const withDots = { ...row, settings: settingsWithDots(row) };
    const { problems, value } = readProcessorChange(kind, withDots, input, office.canSeal);
    if (!noProblems(problems)) return { result: invalid(problems) };
    const settings = await withoutKnownSecrets(kind, row, value.settings, office.secrets);
    const cannotSeal = problemsOfSecrets(kind, settings, office.secrets !== undefined);
    if (!noProblems(cannotSeal)) return { result: invalid(cannotSeal) };
    const before = show(office.kinds, row);
    if (isDeepStrictEqual({ ...withDots, ...value, settings }, withDots)) return { result: done(before) };
    const stored = { ...value, ...(await sealedApart(kind, row, settings, office.secrets)) };
    const updated = { ...row, ...stored, updated_at: office.clock.now() };
    await sql`
      update processors set ${sql({ ...json(sql, stored), updated_at: updated.updated_at })}
      where merchant_id = ${row.merchant_id} and id = ${id}`;
    if (value.settlement.auto_capture_at !== row.settlement.auto_capture_at)
      await scheduleCapture(sql, updated, updated.updated_at);
    const after = show(office.kinds, updated);
    const noted = { ...after, settings: markSecrets(after.settings, withDots.settings, settings) };
    return {
      result: done(after),
      entry: { action: "processor.change", subject: ["processor", row.id], before, after: noted },
    };
  });
}

/** Authorizations are captured at the next time of day that the schedule has from now on. */
function scheduleCapture(
  sql: TransactionSql,
  { merchant_id, id, settlement }: ProcessorRow,
  now: Date,
  isNew = false,
): Promise<void> {
  const time = settlement.auto_capture_at;
  const dueAt = time === null ? null : nextAfter(now, time);
  return setCaptureTime(sql, { merchantId: merchant_id, processorId: id }, dueAt, isNew);
}

/** Undefined where there is no such merchant. */
export async function listProcessors(
  { sql, kinds }: Pick<Backoffice, "sql" | "kinds">,
  merchantId: string,
  page: Page = {},
): Promise<Processor[] | undefined> {
  if ((await findMerchant(sql, merchantId)) === undefined) return undefined;
  const rows = await sql`
    select * from processors where merchant_id = ${merchantId} and id > ${startOf(page)}
    order by id limit ${limitOf(page)}`;
  return rows.map((row) => show(kinds, processorRow(row)));
}

/** As it is shown; undefined where there is none. */
export async function findProcessor(
  { sql, kinds }: Pick<Backoffice, "sql" | "kinds">,
  id: string,
): Promise<Processor | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await sql`select * from processors where id = ${id}`;
  return row && show(kinds, processorRow(row));
}

/** What of a record can change, as the table has it. */
interface StoredChangeable extends Changeable {
  /** The secrets, which are not among `settings`. */
  readonly sealed_settings: SealedSettings;
}

/** A row as the table has it. */
export interface ProcessorRow extends StoredChangeable {
  readonly merchant_id: string;
  readonly id: string;
  readonly kind: string;
  readonly currency: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const requirements = rowReader<ConditionalFields>("processors.requires", {
  cvv: words(CARD_BRANDS),
  names: flag,
  document: flag,
});
const requiresColumn: Reader<ConditionalFields> = (value) => requirements(object(value));

const schedule = rowReader<Schedule>("processors.settlement", {
  auto_capture_at: orNull(text),
  cutoff_at: text,
  settled_at: text,
  visible_at: text,
});
const scheduleColumn: Reader<Schedule> = (value) => schedule(object(value));

/** Read from the table `processors`. */
export const processorRow = rowReader<ProcessorRow>("processors", {
  merchant_id: text,
  id: text,
  name: text,
  kind: text,
  currency: text,
  enabled: flag,
  in_rotation: flag,
  requires: requiresColumn,
  settlement: scheduleColumn,
  settings: object,
  sealed_settings: sealedColumn,
  created_at: instant,
  updated_at: instant,
});

const show = (kinds: Kinds, row: ProcessorRow): Processor => ({
  id: row.id,
  merchant_id: row.merchant_id,
  name: row.name,
  kind: row.kind,
  currency: row.currency,
  enabled: row.enabled,
  in_rotation: row.in_rotation,
  requires: { ...row.requires, cvv: [...row.requires.cvv] },
  settlement: row.settlement,
  settings: concealSecrets(kinds.get(row.kind), settingsWithDots(row)),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
});

/** For the audit log: that a secret is another one now, and nothing else about it. */
function markSecrets(shown: Processor["settings"], before: Changeable["settings"], after: Changeable["settings"]) {
  return Object.fromEntries(
    Object.entries(shown).map(([name, value]) => {
      const concealed = value !== after[name];
      return [name, concealed && before[name] !== after[name] ? `${value} (another one)` : value];
    }),
  );
}

/** The columns of what can change; objects go in as jsonb. */
const json = (
  sql: Sql | TransactionSql,
  { requires, settlement, settings, sealed_settings, ...plain }: StoredChangeable,
) => ({
  ...plain,
  requires: sql.json(requires),
  settlement: sql.json(settlement),
  settings: sql.json(settings),
  sealed_settings: sql.json(sealedJson(sealed_settings)),
});
