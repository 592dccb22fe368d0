// What an import would do: which records are new, which are there already, and all that is wrong, by its place in the file.
// Nothing is written here.

import { isDeepStrictEqual } from "node:util";
import { type Problems, problemsOf } from "../../validation/problems.ts";
import type { Backoffice } from "../backoffice.ts";
import { CONCEALED } from "../kind-settings.ts";
import { findMerchant, NewMerchant } from "../merchants.ts";
import { findProcessor, problemsOfNewProcessor } from "../processors.ts";
import { findAnyToken, NO_USER, problemsOfNewToken, tokenIdOfHash } from "../tokens.ts";
import { findAnyUser, NewUser } from "../users.ts";
import { type ImportRecord, isObject, type Told } from "./read-records.ts";

export interface Planned {
  readonly record: ImportRecord;
  readonly there: boolean;
  /** Of what is there: where the file says something else. It is left as it is. */
  readonly differs: readonly string[];
}

/** In the order in which they can be written. */
export async function planImport(
  office: Backoffice,
  records: readonly ImportRecord[],
  tell: Told,
): Promise<readonly Planned[]> {
  const users = new Set(records.flatMap((one) => (one.kind === "user" ? [`${one.merchantId} ${one.id}`] : [])));
  const planned: Planned[] = [];
  for (const record of records) {
    const shown = await find(office, record);
    // A token that was imported may have expired since.
    for (const [field, [problem = ""]] of Object.entries(problemsOfRecord(office, record)))
      if (shown === undefined || field !== "expires_at")
        tell(field === "base" ? record.place : `${record.place}.${field}`, problem);
    if (shown !== undefined && record.merchantId !== "" && ownerOf(record, shown) !== record.merchantId)
      tell(`${record.place}.id`, `is taken by a ${record.kind} of another merchant`);
    if (record.kind === "token") await checkToken(office, record, users, tell);
    planned.push({ record, there: shown !== undefined, differs: shown ? differences(record.input, shown) : [] });
  }
  return planned;
}

const ownerOf = ({ kind }: ImportRecord, shown: object) =>
  kind === "merchant" ? (shown as { id: string }).id : (shown as { merchant_id: string }).merchant_id;

function find(office: Backoffice, { kind, id }: ImportRecord): Promise<object | undefined> {
  switch (kind) {
    case "merchant":
      return findMerchant(office.sql, id);
    case "user":
      return findAnyUser(office.sql, id);
    case "processor":
      return findProcessor(office, id);
    case "token":
      return findAnyToken(office.sql, id);
  }
}

function problemsOfRecord(office: Backoffice, { kind, input }: ImportRecord): Problems {
  switch (kind) {
    case "merchant":
      return problemsOf(NewMerchant, input);
    case "user":
      return problemsOf(NewUser, input);
    case "processor":
      return problemsOfNewProcessor(office, input);
    case "token":
      return problemsOfNewToken(office.clock.now(), input);
  }
}

/** Its user may be in the file or there already; its secret may be no other token's. */
async function checkToken(office: Backoffice, record: ImportRecord, users: ReadonlySet<string>, tell: Told) {
  const { merchantId, place, input, secretHash } = record;
  const userId = typeof input.user_id === "string" ? input.user_id.toLowerCase() : "";
  const isUser =
    merchantId === "" ||
    users.has(`${merchantId} ${userId}`) ||
    problemsOfNewToken(office.clock.now(), input).user_id !== undefined ||
    (await findAnyUser(office.sql, userId))?.merchant_id === merchantId;
  if (!isUser) tell(`${place}.user_id`, NO_USER);
  if (secretHash === undefined || !/^[0-9a-f]{64}$/.test(secretHash)) return;
  const owner = await tokenIdOfHash(office.sql, Buffer.from(secretHash, "hex"));
  if (owner !== undefined && owner !== record.id) tell(`${place}.secret_hash`, `is that of the token ${owner}`);
}

/** Of what the file names, dotted. A secret is never compared. */
function differences(given: object, there: object, prefix = ""): string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const is = (there as Readonly<Record<string, unknown>>)[name];
    if (is === CONCEALED || isDeepStrictEqual(value, is ?? null) || sameText(value, is)) return [];
    if (isObject(value) && isObject(is)) return differences(value, is, `${prefix}${name}.`);
    return [prefix + name];
  });
}

/** The same id in other letters, or the same time in another form. */
function sameText(one: unknown, other: unknown): boolean {
  if (typeof one !== "string" || typeof other !== "string") return false;
  return one.toLowerCase() === other || (/^\d{4}-/.test(one) && Date.parse(one) === Date.parse(other));
}
