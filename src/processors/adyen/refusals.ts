// Why Adyen says that a payment was refused, by its refusalReasonCode, and what the merchant can do about it.
//
// Sources: docs.adyen.com/development-resources/refusal-reasons (code and reason), and for Mastercard's advice
// docs.adyen.com/development-resources/raw-acquirer-responses, "Merchant advice codes".

import type { DeclineCategory } from "../../payment/decline.ts";

export interface Refusal {
  readonly reason: string;
  readonly category: DeclineCategory;
}

export const REFUSALS: Readonly<Record<number, Refusal>> = {
  2: { reason: "Refused", category: "refused" },
  3: { reason: "Referral", category: "refused" },
  4: { reason: "Acquirer Error", category: "try-later" },
  5: { reason: "Blocked Card", category: "do-not-retry" },
  6: { reason: "Expired Card", category: "wrong-data" },
  7: { reason: "Invalid Amount", category: "configuration" },
  8: { reason: "Invalid Card Number", category: "wrong-data" },
  9: { reason: "Issuer Unavailable", category: "try-later" },
  10: { reason: "Not supported", category: "not-permitted" },
  11: { reason: "3D Not Authenticated", category: "authentication-required" },
  12: { reason: "Not enough balance", category: "insufficient-funds" },
  14: { reason: "Acquirer Fraud", category: "suspected-fraud" },
  15: { reason: "Cancelled", category: "refused" },
  16: { reason: "Shopper Cancelled", category: "refused" },
  17: { reason: "Invalid Pin", category: "wrong-data" },
  18: { reason: "Pin tries exceeded", category: "do-not-retry" },
  19: { reason: "Pin validation not possible", category: "try-later" },
  20: { reason: "FRAUD", category: "suspected-fraud" },
  21: { reason: "Not Submitted", category: "configuration" },
  22: { reason: "FRAUD-CANCELLED", category: "suspected-fraud" },
  23: { reason: "Transaction Not Permitted", category: "not-permitted" },
  24: { reason: "CVC Declined", category: "wrong-data" },
  25: { reason: "Restricted Card", category: "not-permitted" },
  26: { reason: "Revocation Of Auth", category: "do-not-retry" },
  27: { reason: "Declined Non Generic", category: "refused" },
  28: { reason: "Withdrawal amount exceeded", category: "limit-exceeded" },
  29: { reason: "Withdrawal count exceeded", category: "limit-exceeded" },
  31: { reason: "Issuer Suspected Fraud", category: "suspected-fraud" },
  32: { reason: "AVS Declined", category: "wrong-data" },
  33: { reason: "Card requires online pin", category: "not-permitted" },
  34: { reason: "No checking account available on Card", category: "do-not-retry" },
  35: { reason: "No savings account available on Card", category: "do-not-retry" },
  36: { reason: "Mobile pin required", category: "not-permitted" },
  37: { reason: "Contactless fallback", category: "not-permitted" },
  38: { reason: "Authentication required", category: "authentication-required" },
  39: { reason: "RReq not received from DS", category: "try-later" },
  40: { reason: "Current AID is in Penalty Box.", category: "try-later" },
  41: { reason: "CVM Required Restart Payment", category: "not-permitted" },
  42: { reason: "3DS Authentication Error", category: "authentication-required" },
  46: { reason: "Transaction blocked by Adyen to prevent excessive retry fees.", category: "do-not-retry" },
};

const OTHER: Refusal = { reason: "Refused", category: "refused" };

/** Two digits and more, as events show codes: `02`. */
export const codeOf = (refusalReasonCode: string | undefined): string =>
  /^\d{1,4}$/.test(refusalReasonCode ?? "") ? (refusalReasonCode ?? "").padStart(2, "0") : "02";

export const refusalOf = (refusalReasonCode: string | undefined): Refusal =>
  REFUSALS[Number(refusalReasonCode ?? Number.NaN)] ?? OTHER;

/** Notifications have the reason alone. */
export function codeOfReason(reason: string): string | undefined {
  const same = ([, known]: [string, Refusal]) => known.reason.toLowerCase() === reason.trim().toLowerCase();
  return Object.entries(REFUSALS).find(same)?.[0];
}

// Mastercard's merchant advice codes. What they forbid wins over the reason; what they advise counts where the reason says nothing.
const FORBIDDEN = new Set(["03", "21"]);
const ADVISED: Readonly<Record<string, DeclineCategory>> = {
  "01": "wrong-data", // new account information is available
  "02": "try-later",
  "24": "try-later", // after an hour
  "25": "try-later", // after 24 hours
  "26": "try-later", // after 2 days
  "27": "try-later", // after 4 days
  "28": "try-later", // after 6 days
  "29": "try-later", // after 8 days
  "30": "try-later", // after 10 days
};

/** @param advice as it came: `03`, `03 : Do not try again` */
export function categoryOf(refusal: Refusal, advice: string | undefined): DeclineCategory {
  const code = /^\s*(\d{2})(?!\d)/.exec(advice ?? "")?.[1] ?? "";
  if (FORBIDDEN.has(code)) return "do-not-retry";
  return refusal.category === "refused" ? (ADVISED[code] ?? "refused") : refusal.category;
}
