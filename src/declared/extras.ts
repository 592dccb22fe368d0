// What is there and in no list of the file. A list that the file does not have says nothing.

import type { RecordName } from "../merchants/backoffice.ts";
import { findMerchant } from "../merchants/merchants.ts";
import type { PeopleOffice } from "../people/people.ts";
import { accountOf } from "../people/person.ts";
import type { DeclaredFile } from "./records.ts";
import { allMerchants, allOperators, type MerchantState, stateOf } from "./state.ts";

export interface Extra {
  readonly record: RecordName;
  readonly id: string;
  readonly name: string;
  readonly merchantId: string | null;
  /** Webhooks are deleted, tokens revoked, people locked, processor records switched off. The others are for good. */
  readonly removable: boolean;
}

/** By list: the ids that are declared, and the accounts of people without an id. */
export interface DeclaredIds {
  readonly kind: DeclaredFile["lists"][number]["kind"];
  readonly merchantId: string | null;
  readonly ids: readonly string[];
  readonly accounts?: readonly string[];
}

export function declaredIds({ lists, records }: DeclaredFile): DeclaredIds[] {
  return lists.map(({ kind, merchantId }) => {
    const own = records.filter((one) => one.kind === kind && (kind === "merchant" || one.merchantId === merchantId));
    const ids = own.flatMap(({ id }) => (id === undefined ? [] : [id]));
    if (kind !== "person") return { kind, merchantId, ids };
    return { kind, merchantId, ids, accounts: own.map(({ input }) => accountOf(String(input.email))) };
  });
}

type Looking = Pick<PeopleOffice, "sql" | "kinds" | "clock">;

export const extrasOf = (office: Looking, file: DeclaredFile): Promise<Extra[]> =>
  extrasBeside(office, declaredIds(file));

/** @param states those that are known already, by the merchant's id */
export async function extrasBeside(
  office: Looking,
  lists: readonly DeclaredIds[],
  states: ReadonlyMap<string, MerchantState> = new Map(),
): Promise<Extra[]> {
  const extras: Extra[] = [];
  const read = new Map(states);
  for (const { kind, merchantId, ids, accounts = [] } of lists) {
    const declared = new Set(ids);
    const add = (record: RecordName, one: { readonly id: string }, name: string, removable: boolean) => {
      if (!declared.has(one.id)) extras.push({ record, id: one.id, name, merchantId, removable });
    };
    if (kind === "merchant") {
      for (const one of await allMerchants(office.sql)) add("merchant", one, one.name, false);
      continue;
    }
    const unknownPeople = (people: MerchantState["people"]) =>
      people.filter(({ locked, email }) => !locked && !accounts.includes(accountOf(email)));
    if (merchantId === null) {
      for (const one of unknownPeople(await allOperators(office.sql))) add("person", one, one.email, true);
      continue;
    }
    const merchant = read.has(merchantId) ? undefined : await findMerchant(office.sql, merchantId);
    if (merchant !== undefined) read.set(merchantId, await stateOf(office, merchant));
    const state = read.get(merchantId);
    if (state === undefined) continue;
    if (kind === "user") for (const one of state.users) add("user", one, one.name, false);
    if (kind === "person") for (const one of unknownPeople(state.people)) add("person", one, one.email, true);
    if (kind === "processor")
      for (const one of state.processors) if (one.enabled || one.in_rotation) add("processor", one, one.name, true);
    if (kind === "webhook") for (const one of state.webhooks) add("webhook", one, one.url, true);
    if (kind === "token") for (const one of state.tokens) add("token", one, one.scopes.join(","), true);
  }
  return extras;
}
