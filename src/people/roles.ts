// What people may do, by their role: the one place that says so. Tokens have scopes instead (merchants/tokens.ts).

import type { Scope } from "../merchants/tokens.ts";

export const OPERATOR_ROLES = ["operator", "operator_read"] as const;
export const MERCHANT_ROLES = ["merchant_admin", "clerk", "viewer"] as const;
export const ROLES = [...OPERATOR_ROLES, ...MERCHANT_ROLES] as const;
export type Role = (typeof ROLES)[number];

/** Whether people with this role belong to no merchant. */
export const isOperator = (role: Role): boolean => (OPERATOR_ROLES as readonly Role[]).includes(role);

/** Under /operator: everything, everything that only reads, or what is about the own merchant. */
type OperatorRight = "all" | "reads" | "own" | "none";

const RIGHTS: Readonly<Record<Role, { readonly scopes: readonly Scope[]; readonly operator: OperatorRight }>> = {
  // Operators look at every merchant's payments; they do not move a merchant's money.
  operator: { scopes: ["read"], operator: "all" },
  operator_read: { scopes: ["read"], operator: "reads" },
  merchant_admin: { scopes: ["charge", "follow_up", "read", "cards"], operator: "own" },
  clerk: { scopes: ["charge", "follow_up", "read", "cards"], operator: "none" },
  viewer: { scopes: ["read"], operator: "none" },
};

/** Under /api: as the scopes of a token. */
export const scopesOf = (role: Role): readonly Scope[] => RIGHTS[role].scopes;

/**
 * Whether the role may ask for something under /operator; `own`: if it is about the own merchant.
 * @param reads it changes nothing
 * @param ofMerchant it is about a record of one merchant that the merchant's admins look after themselves
 */
export function mayOperate(role: Role, reads: boolean, ofMerchant: boolean): "yes" | "own" | "no" {
  switch (RIGHTS[role].operator) {
    case "all":
      return "yes";
    case "reads":
      return reads ? "yes" : "no";
    case "own":
      return ofMerchant ? "own" : "no";
    case "none":
      return "no";
  }
}

const WORDS: Readonly<Record<OperatorRight, readonly string[]>> = {
  all: ["operator_read", "operate"],
  reads: ["operator_read"],
  own: ["set_up"],
  none: [],
};

/** In words, for a page that shows only what a role may do. */
export const rightsOf = (role: Role): readonly string[] => [...scopesOf(role), ...WORDS[RIGHTS[role].operator]];
