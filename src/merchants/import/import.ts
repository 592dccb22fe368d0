// An import: merchants, users, processor records and tokens, checked as a whole, then written in one database transaction or
// not at all. What is there already is left as it is.

import { together } from "../audit.ts";
import type { Author, Backoffice, Conflict, Done, Existed, Invalid, Unknown } from "../backoffice.ts";
import { createMerchant } from "../merchants.ts";
import { createProcessor } from "../processors.ts";
import { createToken, keepToken } from "../tokens.ts";
import { createUser } from "../users.ts";
import { type Planned, planImport } from "./plan.ts";
import { type ImportRecord, readRecords } from "./read-records.ts";

/** What is wrong, in the order of the file. */
export type PlaceProblems = readonly (readonly [place: string, problem: string])[];

export interface Imported extends Planned {
  /** Of a token that was made now: shown this once. */
  readonly secret?: string;
}

export type ImportResult =
  | { readonly kind: "done"; readonly records: readonly Imported[] }
  | { readonly kind: "invalid"; readonly problems: PlaceProblems };

/** @param read what reading the file's secrets found wrong already. Nothing is written. */
export async function checkImport(office: Backoffice, json: unknown, read: PlaceProblems = []): Promise<ImportResult> {
  const problems = [...read];
  const unread = new Set(read.map(([place]) => place));
  const tell = (place: string, problem: string) => void (unread.has(place) || problems.push([place, problem]));
  const found = readRecords(json, tell);
  const records = await planImport(office, found, tell);
  return problems.length > 0 ? { kind: "invalid", problems } : { kind: "done", records };
}

/** All of it or nothing, with an entry in the audit log for each record. */
export function carryOutImport(
  office: Backoffice,
  author: Author,
  json: unknown,
  read: PlaceProblems = [],
): Promise<ImportResult> {
  return together(office, async (inside) => {
    const checked = await checkImport(inside, json, read);
    if (checked.kind === "invalid") return checked;
    const records: Imported[] = [];
    for (const planned of checked.records) {
      const created = planned.there ? {} : done(planned.record, await create(inside, author, planned.record));
      records.push({ ...planned, ...("secret" in created && { secret: String(created.secret) }) });
    }
    return { kind: "done", records };
  });
}

type Created = Done<object> | Existed<object> | Conflict | Invalid | Unknown;

function create(office: Backoffice, author: Author, record: ImportRecord): Promise<Created> {
  const { kind, id, merchantId, input, secretHash } = record;
  switch (kind) {
    case "merchant":
      return createMerchant(office, author, { ...input, id });
    case "user":
      return createUser(office, author, merchantId, { ...input, id });
    case "processor":
      return createProcessor(office, author, merchantId, { ...input, id });
    case "token":
      return secretHash === undefined
        ? createToken(office, author, merchantId, { ...input, id })
        : keepToken(office, author, merchantId, { ...input, id }, Buffer.from(secretHash, "hex"));
  }
}

/** It was checked in the same transaction: only somebody else's change of this moment can be in the way. */
function done({ place }: ImportRecord, created: Created): object {
  if (created.kind === "done") return created.value;
  throw new Error(`${place} could not be created: ${JSON.stringify(created)}`);
}
