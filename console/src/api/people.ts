// Who can sign in: a merchant's people, and for operators everybody.

import { ask } from "./ask.ts";
import { useRead } from "./read.ts";
import type { Role } from "./session.ts";

export interface PersonRecord {
  readonly id: string;
  readonly merchant_id: string | null;
  readonly role: Role;
  readonly name: string;
  readonly email: string;
  readonly locked: boolean;
  readonly second_factor: boolean;
  readonly must_change_password: boolean;
  readonly created_at: string;
  readonly last_signed_in_at: string | null;
}

export type WithPassword = { readonly person: PersonRecord & { readonly password: string } };

/** @param merchantId undefined: operators and all merchants' people */
export function usePeople(merchantId: string | undefined, { enabled = true } = {}) {
  const path = merchantId === undefined ? "people" : `merchants/${merchantId}/people`;
  return useRead({
    queryKey: ["setup", "people", merchantId ?? ""],
    queryFn: async ({ signal }) =>
      (await ask<{ readonly people: readonly PersonRecord[] }>(`/operator/${path}`, { signal })).people,
    enabled,
  });
}

export function usePerson(id: string) {
  return useRead({
    queryKey: ["setup", "person", id],
    queryFn: async ({ signal }) =>
      (await ask<{ readonly person: PersonRecord }>(`/operator/people/${encodeURIComponent(id)}`, { signal })).person,
  });
}
