// Makes a gateway what a file says: every record through the same functions, with the same checks and entries in the audit log, as over the
// API, in one database transaction. A plan is the same, and taken back.

import { codeOf, type Sql } from "../journal/database.ts";
import { together } from "../merchants/audit.ts";
import type { Author, Conflict, Done, Entry, Existed, Invalid, RecordName, Unknown } from "../merchants/backoffice.ts";
import { changeCardTesting } from "../merchants/card-testing.ts";
import { differing } from "../merchants/given-id.ts";
import { changeMerchant, createMerchant, findMerchant, NewMerchant } from "../merchants/merchants.ts";
import { NewProcessor } from "../merchants/processor-schema.ts";
import { changeProcessor, createProcessor, findProcessor } from "../merchants/processors.ts";
import { changeRouting } from "../merchants/routing.ts";
import type { SettingSecrets } from "../merchants/setting-secrets.ts";
import { findAnyToken, keepToken, revokeToken, tokenIdOfHash } from "../merchants/tokens.ts";
import { createUser } from "../merchants/users.ts";
import { changePerson, createPersonWithoutPassword, findPerson } from "../people/people.ts";
import { accountOf, NewOperator, NewPerson, type Person } from "../people/person.ts";
import { timestamp } from "../validation/fields.ts";
import { type Problems, problemsOf } from "../validation/problems.ts";
import { NewWebhook } from "../webhooks/endpoint-schema.ts";
import { changeWebhook, createWebhook, deleteWebhook, findWebhook } from "../webhooks/endpoints.ts";
import { type AppliedState, noteApplied, readApplied } from "./applied.ts";
import { type Extra, extrasOf } from "./extras.ts";
import type { Declared, DeclaredFile, Tell } from "./records.ts";
import type { DeclaringOffice, Wanted } from "./wanted.ts";

export interface CarriedOut {
  /** What the audit log got, or would get. */
  readonly entries: readonly Entry[];
  /** In no list of the file, and still there. */
  readonly extras: readonly Extra[];
  readonly removed: readonly Extra[];
}

/** Taken back. */
class Undone extends Error {}

const TRIES = 3;

/**
 * All of it or nothing. What is wrong is told, and then nothing is done.
 * @returns undefined if something is wrong
 */
export async function carryOut(
  office: DeclaringOffice,
  author: Author,
  wanted: Wanted,
  tell: Tell,
): Promise<CarriedOut | undefined> {
  const key = await office.auditKey();
  for (let tried = 1; ; tried++) {
    const entries: Entry[] = [];
    const told: Parameters<Tell>[] = [];
    let extras: readonly Extra[] = [];
    let removed: readonly Extra[] = [];
    const secrets = office.secrets && wanted.plan ? sealingNothing(office.secrets) : office.secrets;
    const inner = { ...office, secrets, auditKey: async () => key, noted: (entry: Entry) => void entries.push(entry) };
    try {
      await together(inner as DeclaringOffice, async (inside) => {
        const here = inside as DeclaringOffice;
        const before = await lockState(here.sql);
        await lockRecords(here.sql, wanted.file);
        for (const record of wanted.file.records) await write(here, author, record, (...one) => void told.push(one));
        if (told.length > 0) throw new Undone();
        extras = await extrasOf(here, wanted.file);
        if (wanted.prune) {
          removed = extras.filter(({ removable }) => removable);
          for (const extra of removed) await remove(here, author, extra);
          extras = extras.filter(({ removable }) => !removable);
        }
        if (wanted.plan) throw new Undone();
        await noteApplied(here, author, before, wanted, entries);
      });
    } catch (fault) {
      // Somebody else changed the same records the other way round.
      if (codeOf(fault) === "40P01" && tried < TRIES) continue;
      if (!(fault instanceof Undone)) throw fault;
    }
    for (const one of told) tell(...one);
    return told.length > 0 ? undefined : { entries, extras, removed };
  }
}

/** A plan stores nothing, so it uses up nothing of a key. That the key is the gateways' is checked all the same. */
const sealingNothing = (secrets: SettingSecrets): SettingSecrets => ({
  open: secrets.open,
  seal: async (_value, place) => {
    const nothing = { keyId: 0, sealed: Buffer.alloc(0) };
    await secrets.open(nothing, place);
    return nothing;
  },
});

/** One apply after the other. */
async function lockState(sql: Sql): Promise<AppliedState | undefined> {
  await sql`
    insert into installation (name, value) values ('declared-state', ${sql.json({})}) on conflict do nothing`;
  await sql`select 1 from installation where name = 'declared-state' for update`;
  return readApplied(sql);
}

/** Before the audit log is locked: whoever changes one of them locks the log after it, and the two must not wait for each other. */
async function lockRecords(sql: Sql, { records }: DeclaredFile): Promise<void> {
  const ids = (kind: Declared["kind"]) =>
    records.flatMap((one) => (one.kind === kind && one.id ? [one.id] : [])).sort();
  const accounts = records
    .flatMap(({ kind, input }) => (kind === "person" ? [accountOf(String(input.email))] : []))
    .sort();
  await sql`select 1 from merchants where id = any(${ids("merchant")}::uuid[]) order by id for update`;
  await sql`select 1 from processors where id = any(${ids("processor")}::uuid[]) order by id for update`;
  await sql`select 1 from people where account = any(${accounts}::text[]) order by id for update`;
}

type Result = Done<object> | Existed<object> | Conflict | Invalid | Unknown;

async function write(office: DeclaringOffice, author: Author, record: Declared, tell: Tell): Promise<void> {
  const { path, kind, input } = record;
  const wrong = ofSchema(record);
  const fields = Object.entries(wrong);
  if (fields.length > 0) return tellAll(path, wrong, input, tell);
  const result = await written(office, author, record);
  switch (result.kind) {
    case "done":
    case "existed":
      return;
    case "invalid":
      return tellAll(path, result.problems, input, tell);
    case "conflict":
      for (const field of result.differs)
        tell(
          field === "id" ? path : `${path}.${field}`,
          `cannot be changed: this ${kind} was created otherwise. Declare another one, under another id or external_key`,
        );
      return;
    case "unknown":
      // Its merchant could not be written, of which it was told.
      if (result.what !== "merchant") tell(path, `is not there: there is no ${result.what} ${result.id}`);
  }
}

function tellAll(path: string, problems: Problems, input: Declared["input"], tell: Tell): void {
  for (const [field, [text = ""]] of Object.entries(problems))
    tell(field === "base" ? path : `${path}.${field}`, `${text}${inQuotes(input, field, text)}`);
}

/** What looks like a number or a flag is one, to YAML. */
function inQuotes(input: unknown, field: string, text: string): string {
  const value = field
    .split(".")
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | null | undefined)?.[name], input);
  const plain = typeof value === "number" || typeof value === "boolean";
  return plain && !/whole number|true or false/.test(text) ? ": put it in quotes" : "";
}

/** The whole record, as if it were created: a file says all that is required, whatever is there already. */
function ofSchema({ kind, merchantId, input }: Declared): Problems {
  switch (kind) {
    case "merchant":
      return problemsOf(NewMerchant, input);
    case "person":
      return problemsOf(merchantId === null ? NewOperator : NewPerson, input);
    case "processor":
      return problemsOf(NewProcessor, input);
    case "webhook":
      return problemsOf(NewWebhook, input);
    default:
      return {};
  }
}

async function written(office: DeclaringOffice, author: Author, record: Declared): Promise<Result> {
  const { kind, input, merchantId } = record;
  const id = record.id ?? "";
  const created = { ...input, id };
  switch (kind) {
    case "merchant":
      if ((await findMerchant(office.sql, id)) === undefined) return createMerchant(office, author, created);
      return changeMerchant(office, author, id, input);
    case "user":
      return createUser(office, author, merchantId ?? "", created);
    case "person":
      return person(office, author, record);
    case "processor": {
      const found = await findProcessor(office, id);
      if (found === undefined || found.merchant_id !== merchantId)
        return createProcessor(office, author, merchantId ?? "", created);
      return changeProcessor(office, author, id, input);
    }
    case "webhook": {
      const found = await findWebhook(office.sql, id);
      if (found === undefined || found.merchant_id !== merchantId)
        return createWebhook(office, author, merchantId ?? "", created);
      return changeWebhook(office, author, id, input);
    }
    case "token":
      return token(office, author, record);
    case "routing":
      return changeRouting(office, author, id, input);
    case "card_testing":
      return changeCardTesting(office, author, id, input);
  }
}

async function person(office: DeclaringOffice, author: Author, { id, merchantId, input }: Declared): Promise<Result> {
  const { locked, ...who } = input;
  const found = await personThere(office, id, String(input.email));
  if (found === undefined) {
    const made = await createPersonWithoutPassword(office, author, merchantId, { ...who, ...(id && { id }) });
    if (made.kind !== "done" || locked === undefined || locked === false) return made;
    return changePerson(office, author, made.value.id, { locked });
  }
  if (found.merchant_id !== merchantId || (id !== undefined && found.id !== id))
    return { kind: "invalid", problems: { email: ["is the e-mail of another person"] } };
  if (accountOf(found.email) !== accountOf(String(input.email)))
    return { kind: "invalid", problems: { email: [`cannot be changed (it is ${found.email})`] } };
  const { email: _, ...change } = input;
  return changePerson(office, author, found.id, change);
}

async function personThere(
  { sql }: DeclaringOffice,
  id: string | undefined,
  email: string,
): Promise<Person | undefined> {
  const byId = id === undefined ? undefined : await findPerson(sql, id);
  if (byId !== undefined) return byId;
  const [row] = await sql<{ id: string }[]>`select id from people where account = ${accountOf(email)}`;
  return row && findPerson(sql, row.id);
}

/** What a token may do is fixed when it is created, so that nobody gets more from a secret that is about already. */
async function token(office: DeclaringOffice, author: Author, record: Declared): Promise<Result> {
  const { merchantId, input, secretHash } = record;
  const id = record.id ?? "";
  const found = await findAnyToken(office.sql, id);
  const hash = secretHash === undefined ? undefined : Buffer.from(secretHash, "hex");
  const owner = hash && (await tokenIdOfHash(office.sql, hash));
  if (owner !== undefined && owner !== id)
    return { kind: "invalid", problems: { secret_hash: [`is that of the token ${owner}`] } };
  if (found === undefined || found.merchant_id !== merchantId) {
    if (hash !== undefined) return keepToken(office, author, merchantId ?? "", { ...input, id }, hash);
    const base = [
      "is new, and needs its secret_hash or secret: apply makes no secrets, since it would have to print them. Make it with faregate token create, then export",
    ];
    return { kind: "invalid", problems: { base } };
  }
  if (found.revoked_at !== null)
    return { kind: "invalid", problems: { base: ["is revoked, which is for good: take it out of the file"] } };
  if (hash !== undefined && owner === undefined)
    return {
      kind: "invalid",
      problems: { secret_hash: ["is not that of this token: a secret cannot be changed. Declare another token"] },
    };
  const wanted = normalToken(input);
  const differs = differing(
    wanted,
    Object.fromEntries(Object.keys(wanted).map((name) => [name, found[name as keyof typeof found]])),
  );
  return differs.length === 0 ? { kind: "existed", value: found } : { kind: "conflict", what: "token", id, differs };
}

function normalToken({ user_id, expires_at, ...rest }: Declared["input"]): object {
  const at = typeof expires_at === "string" ? new Date(expires_at) : expires_at;
  const known = at instanceof Date && !Number.isNaN(at.getTime()) ? timestamp(at) : expires_at;
  return {
    ...rest,
    ...(user_id !== undefined && { user_id: String(user_id).toLowerCase() }),
    ...(expires_at !== undefined && { expires_at: known }),
  };
}

async function remove(office: DeclaringOffice, author: Author, { record, id }: Extra): Promise<void> {
  const result = await takenAway(office, author, record, id);
  if (result.kind !== "done") throw new Error(`the ${record} ${id} could not be removed: ${JSON.stringify(result)}`);
}

function takenAway(office: DeclaringOffice, author: Author, record: RecordName, id: string): Promise<Result> {
  switch (record) {
    case "webhook":
      return deleteWebhook(office, author, id);
    case "token":
      return revokeToken(office, author, id);
    case "person":
      return changePerson(office, author, id, { locked: true });
    case "processor":
      return changeProcessor(office, author, id, { enabled: false, in_rotation: false });
    default:
      throw new Error(`broken invariant: a ${record} is removed`);
  }
}
