// The records that a file declares, in the order in which they can be written, each with its place in the file. What the file alone can be
// wrong about is found here: its form, ids, doubles, references. The rest is for the API's own checks, when the records are written.

import Type from "typebox";
import type { RecordName } from "../merchants/backoffice.ts";
import { GIVEN_ID, idOfKey } from "../merchants/given-id.ts";
import { CONCEALED, type Kinds } from "../merchants/kind-settings.ts";
import { readSecret } from "../merchants/token-secret.ts";
import { accountOf } from "../people/person.ts";
import { isUuid, NIL_UUID } from "../uuid.ts";
import { problemsOf } from "../validation/problems.ts";
import { isObject, problemsOfForm, VERSION } from "./file-schema.ts";
import type { Readings } from "./references.ts";

export type DeclaredKind =
  | "merchant"
  | "user"
  | "person"
  | "processor"
  | "webhook"
  | "token"
  | "routing"
  | "card_testing";
type Fields = Readonly<Record<string, unknown>>;

export interface Declared {
  readonly kind: DeclaredKind;
  /** `merchants.0.users.2` */
  readonly path: string;
  /** Null: an operator. Of a merchant, its own. */
  readonly merchantId: string | null;
  /** In small letters. Of routing and card testing the merchant's; undefined: a person who is known by e-mail alone. */
  readonly id: string | undefined;
  /** As the API takes it, without id and external key. */
  readonly input: Fields;
  /** Of a token, if the file says it. */
  readonly secretHash?: string;
}

/** A list that the file has: what is not in it is to be deleted. */
export interface DeclaredList {
  readonly kind: "merchant" | "user" | "person" | "processor" | "webhook" | "token";
  readonly merchantId: string | null;
  readonly path: string;
}

export interface DeclaredFile {
  readonly records: readonly Declared[];
  readonly lists: readonly DeclaredList[];
  readonly partial: boolean;
}

/** @param ofName whether it is about the name of a field */
export type Tell = (path: string, text: string, ofName?: boolean) => void;

/** As the API checks it. */
const KEY = Type.Object({ external_key: GIVEN_ID.external_key });
const MOST_RECORDS = 10_000;
const RECORDS: Readonly<Partial<Record<DeclaredKind, RecordName>>> = {
  merchant: "merchant",
  user: "user",
  person: "person",
  processor: "processor",
  webhook: "webhook",
  token: "token",
};
const LISTS = [
  ["users", "user"],
  ["people", "person"],
  ["processors", "processor"],
  ["webhooks", "webhook"],
  ["tokens", "token"],
] as const;

/** @param readings what references give */
export function readDeclared(tree: unknown, kinds: Kinds, readings: Readings, tell: Tell): DeclaredFile {
  const records: Declared[] = [];
  const lists: DeclaredList[] = [];
  problemsOfForm(tree, tell);
  if (!isObject(tree)) return { records, lists, partial: false };
  if (tree.version !== VERSION)
    tell("version", tree.version === undefined ? "is required: version: 1" : `must be ${VERSION}`);
  if (tree.partial !== undefined && typeof tree.partial !== "boolean") tell("partial", "must be true or false");
  const partial = tree.partial === true;

  const operators = objectsIn(tree.operators, "operators");
  if (Array.isArray(tree.operators)) lists.push({ kind: "person", merchantId: null, path: "operators" });
  for (const [path, fields] of operators) records.push(recordOf("person", path, null, fields, tell));
  if (tree.merchants === undefined && tree.operators === undefined) tell("", "must have merchants or operators");
  if (Array.isArray(tree.merchants) && !partial) lists.push({ kind: "merchant", merchantId: null, path: "merchants" });
  for (const [path, fields] of objectsIn(tree.merchants, "merchants"))
    records.push(...ofMerchant(path, fields, { kinds, readings, tell, lists }));
  tellOfDoubles(records, tell);
  if (records.length > MOST_RECORDS) tell("", `must have at most ${MOST_RECORDS} records: split it`);
  return { records, lists, partial };
}

interface Reading {
  readonly kinds: Kinds;
  readonly readings: Readings;
  readonly tell: Tell;
  readonly lists: DeclaredList[];
}

function ofMerchant(path: string, fields: Fields, reading: Reading): Declared[] {
  const { tell, lists } = reading;
  const own = { ...fields };
  for (const name of ["users", "people", "processors", "webhooks", "tokens", "routing", "card_testing"])
    delete own[name];
  const merchant = recordOf("merchant", path, null, own, tell);
  const merchantId = merchant.id ?? NIL_UUID;
  const inside = LISTS.flatMap(([name, kind]) => {
    if (Array.isArray(fields[name])) lists.push({ kind, merchantId, path: `${path}.${name}` });
    return objectsIn(fields[name], `${path}.${name}`).map(([at, given]) => {
      const read = kind === "processor" ? withSettings(at, given, reading) : given;
      return recordOf(kind, at, merchantId, read, tell);
    });
  });
  const tokens = inside.filter(({ kind }) => kind === "token").map((token) => tokenOf(token, inside, reading));
  const more: Declared[] = [];
  const { routing, card_testing } = fields;
  const ofMerchantItself = { merchantId, id: merchantId };
  if (isObject(routing)) {
    const input = withProcessorIds(routing, `${path}.routing`, merchantId, inside, tell);
    more.push({ kind: "routing", path: `${path}.routing`, ...ofMerchantItself, input });
  }
  if (isObject(card_testing))
    more.push({ kind: "card_testing", path: `${path}.card_testing`, ...ofMerchantItself, input: card_testing });
  return [{ ...merchant, merchantId }, ...inside.filter(({ kind }) => kind !== "token"), ...tokens, ...more];
}

function recordOf(kind: DeclaredKind, path: string, merchantId: string | null, fields: Fields, tell: Tell): Declared {
  const { id, external_key: key, ...input } = fields;
  const found = idIn(kind, path, merchantId, { id, key }, tell);
  return { kind, path, merchantId: merchantId ?? (kind === "merchant" ? (found ?? null) : null), id: found, input };
}

function idIn(
  kind: DeclaredKind,
  path: string,
  merchantId: string | null,
  { id, key }: { readonly id: unknown; readonly key: unknown },
  tell: Tell,
): string | undefined {
  const what = RECORDS[kind] ?? "merchant";
  if (id !== undefined && key !== undefined)
    tell(`${path}.external_key`, "must be left out where there is an id", true);
  if (id !== undefined) {
    if (typeof id === "string" && isUuid(id) && id !== NIL_UUID) return id.toLowerCase();
    tell(`${path}.id`, "must be a UUID that is not all zeros");
  } else if (key !== undefined) {
    const [wrong] = Object.values(problemsOf(KEY, { external_key: key })).flat();
    if (wrong === undefined) return idOfKey(what, merchantId, String(key));
    const quotes = typeof key === "number" || typeof key === "boolean" ? ": put it in quotes" : "";
    tell(`${path}.external_key`, `${wrong}${quotes}`);
  } else if (kind !== "person") tell(path, "needs an id, or an external_key: a key of yours, such as northwind");
  return undefined;
}

/** With what the references among its settings give. A secret stands in no file. */
function withSettings(path: string, fields: Fields, { kinds, readings, tell }: Reading): Fields {
  const { settings, kind } = fields;
  if (!isObject(settings)) return fields;
  const secrets = kinds.get(String(kind))?.secretSettings ?? [];
  const read = Object.entries(settings).map(([name, value]) => {
    const at = `${path}.settings.${name}`;
    if (readings.isReference(value)) {
      const found = readings.read(value);
      if (found.kind === "value") return [name, found.value];
      if (readings.keepsSecrets && secrets.includes(name)) return [name, CONCEALED];
      tell(at, `${found.why}${secrets.includes(name) ? "; with --keep-secrets the secret that is there stays" : ""}`);
      return [name, null];
    }
    if (secrets.includes(name) && value !== null && value !== CONCEALED)
      tell(at, "is a secret: name where it is, { env: NAME } or { file: path }");
    return [name, value];
  });
  return { ...fields, settings: Object.fromEntries(read) };
}

function tokenOf(token: Declared, others: readonly Declared[], { readings, tell }: Reading): Declared {
  const { secret, secret_hash: hash, user, ...input } = token.input;
  const { path, merchantId } = token;
  const named = user === undefined ? input : { ...input, user_id: userOf(user, input.user_id, token, others, tell) };
  const with_ = (secretHash: string) => ({ ...token, input: named, secretHash });
  if (secret !== undefined && hash !== undefined)
    tell(`${path}.secret`, "must be left out where there is a secret_hash", true);
  if (hash !== undefined) {
    if (typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash)) return with_(hash);
    tell(`${path}.secret_hash`, "must be the SHA-256 of the token's secret, 64 hexadecimal digits in small letters");
  } else if (secret !== undefined) {
    const found = readings.isReference(secret) ? readings.read(secret) : undefined;
    const read = found?.kind === "value" ? readSecret(found.value) : undefined;
    if (read !== undefined && (read.purpose === "test" || read.purpose === "live"))
      return with_(read.hash.toString("hex"));
    if (found === undefined) tell(`${path}.secret`, "must name where the secret is: { env: NAME } or { file: path }");
    else if (found.kind === "value")
      tell(`${path}.secret`, "is not the secret of an API token: fg_test_… or fg_live_…");
    else if (!readings.keepsSecrets) tell(`${path}.secret`, found.why);
  }
  return { ...token, merchantId, input: named };
}

function userOf(
  user: unknown,
  id: unknown,
  { path, merchantId }: Declared,
  others: readonly Declared[],
  tell: Tell,
): unknown {
  if (id !== undefined) tell(`${path}.user`, "must be left out where there is a user_id", true);
  const ids = (["user", "person"] as const).map((what) => idOfKey(what, merchantId, String(user)));
  const found = typeof user === "string" && others.find((one) => one.id !== undefined && ids.includes(one.id));
  if (found) return found.id;
  tell(`${path}.user`, "must be the external_key of a user or person of this merchant in the file");
  return NIL_UUID;
}

/** Rules name records of the file by their external keys, too. */
function withProcessorIds(
  routing: Fields,
  path: string,
  merchantId: string,
  others: readonly Declared[],
  tell: Tell,
): Fields {
  if (!Array.isArray(routing.rules)) return routing;
  const known = new Set(others.flatMap(({ kind, id }) => (kind === "processor" ? [id] : [])));
  const rules = routing.rules.map((rule: unknown, nth) => {
    if (!isObject(rule) || !Array.isArray(rule.processors)) return rule;
    const processors = rule.processors.map((one: unknown, index) => {
      if (!isObject(one) || one.external_key === undefined) return one;
      const { external_key: key, ...rest } = one;
      const at = `${path}.rules.${nth}.processors.${index}.external_key`;
      if (one.id !== undefined) tell(at, "must be left out where there is an id", true);
      const id = idOfKey("processor", merchantId, String(key));
      if (typeof key !== "string" || !known.has(id))
        tell(at, "must be the external_key of a processor record of this merchant in the file");
      return { ...rest, id };
    });
    return { ...rule, processors };
  });
  return { ...routing, rules };
}

function tellOfDoubles(records: readonly Declared[], tell: Tell): void {
  const places = new Map<string, string>();
  const once = (key: string, path: string, field: string) => {
    const first = places.get(key);
    if (first === undefined) places.set(key, path);
    else tell(`${path}.${field}`, `is the same as that of ${first}`);
  };
  for (const { kind, path, id, input, secretHash } of records) {
    if (kind === "routing" || kind === "card_testing") continue;
    if (id !== undefined) once(`${kind} ${id}`, path, input.id === undefined ? "external_key" : "id");
    if (kind === "person" && typeof input.email === "string") once(`email ${accountOf(input.email)}`, path, "email");
    if (secretHash !== undefined) once(`hash ${secretHash}`, path, "secret_hash");
  }
}

function objectsIn(list: unknown, path: string): [string, Fields][] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown, index): [string, Fields][] => (isObject(one) ? [[`${path}.${index}`, one]] : []));
}
