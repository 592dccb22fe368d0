// What people may do, in words.

import type { Role } from "../api/session.ts";

export const ROLES: Readonly<Record<Role, string>> = {
  operator: "Operator",
  operator_read: "Operator (reads)",
  merchant_admin: "Administrator",
  clerk: "Clerk",
  viewer: "Viewer",
};

const MAY: Readonly<Record<Role, string>> = {
  operator: "Sees and sets up every merchant. Cannot move a merchant's money.",
  operator_read: "Sees every merchant, but cannot change anything.",
  merchant_admin: "Makes charges and follow-ups, and sets up the merchant's people, tokens and webhooks.",
  clerk: "Charges and follows up.",
  viewer: "Looks only.",
};

export const mayInWords = (role: Role): string => MAY[role];

const OPERATORS: readonly Role[] = ["operator", "operator_read"];
const OF_MERCHANT: readonly Role[] = ["merchant_admin", "clerk", "viewer"];

/** Operators stay operators, and merchants' people theirs. */
export const rolesBeside = (role: Role): readonly Role[] => (OPERATORS.includes(role) ? OPERATORS : OF_MERCHANT);
