// 3-D Secure: what the merchant's 3DS provider found out about the cardholder, and the word for it on an event.
// The gateway forwards these values and blocks nothing: going on after a failed authentication is the merchant's choice.

import type { CardBrand } from "./card-brand.ts";

/** Y authenticated, A attempted, N failed, U could not be done (EMV 3-D Secure, field transStatus). */
export type AuthenticationStatus = "Y" | "A" | "N" | "U";

/** The values that come with `threeds_enabled`, checked. Without it there are none: null. */
export type ThreeDSecure = {
  /** Base64; with version 2 also the directory server's transaction id, a UUID. */
  readonly xid: string;
  /** Two digits. */
  readonly eci: string;
  /** Base64. */
  readonly cavv: string;
  readonly status: AuthenticationStatus;
  /** 3-D Secure 1.0.2, or EMV 3-D Secure 2. Not sent: 1 (specification 4.4). */
  readonly version?: 1 | 2;
  /** The protocol's own version, such as 2.2.0, if that is what was sent. */
  readonly protocol?: string;
};

/** `1`, `2`, or the protocol's own version, of which the first digit counts (decisions 5). */
export const VERSION_PATTERN = "^[12](\\.[0-9]{1,2}\\.[0-9]{1,2})?$";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** As EMV 3-D Secure writes its directory server's transaction id: a UUID. */
export const isDirectoryServerId = (xid: string): boolean => UUID.test(xid);

/** The directory server's transaction id, in lower case: some merchants send its text in Base64. Undefined if it is another id. */
export function directoryServerId(xid: string): string | undefined {
  const text = isDirectoryServerId(xid) ? xid : Buffer.from(xid, "base64").toString("latin1");
  return isDirectoryServerId(text) ? text.toLowerCase() : undefined;
}

export const THREE_D_SECURE_OUTCOMES = ["success", "attempted", "failed", "unavailable", "error"] as const;
export type ThreeDSecureOutcome = (typeof THREE_D_SECURE_OUTCOMES)[number];

/** What the processor says of the cavv. `unverifiable`: it tried and could not confirm it. */
export type CavvResult = "verified" | "not-checked" | "unverifiable";

const OUTCOMES: Readonly<Record<AuthenticationStatus, ThreeDSecureOutcome>> = {
  Y: "success",
  A: "attempted",
  N: "failed",
  U: "unavailable",
};

/** Null when the request brought no 3-D Secure values. */
export function threeDSecureOutcome(given: ThreeDSecure | null, cavv: CavvResult): ThreeDSecureOutcome | null {
  if (!given) return null;
  return cavv === "unverifiable" ? "error" : OUTCOMES[given.status];
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/;

/** Standard alphabet with its padding, not empty (RFC 4648, section 4), as `xid` and `cavv` are written. */
export function isBase64(text: string): boolean {
  return BASE64.test(text);
}

type EcisByStatus = Readonly<Record<AuthenticationStatus, readonly string[]>>;

// ECI tables as published by CyberSource (payer authentication values), Axepta BNP Paribas, Yuno (ECI indicators list)
// and Cielo ("Tabela de ECI", for Elo).
const ECI_VISA: EcisByStatus = { Y: ["05"], A: ["06"], N: ["07"], U: ["07"] };

// Mastercard's special ones: 04 data shared without authentication, 06 exempt by the acquirer, 07 authenticated once
// for payments that the merchant begins later.
const ECI_MASTERCARD: EcisByStatus = { Y: ["02", "07"], A: ["01"], N: ["00", "04", "06"], U: ["00", "04", "06"] };

const ECIS: Readonly<Record<CardBrand, EcisByStatus | null>> = {
  visa: ECI_VISA,
  amex: ECI_VISA,
  discover: ECI_VISA,
  diners: ECI_VISA,
  jcb: ECI_VISA,
  unionpay: ECI_VISA,
  elo: ECI_VISA,
  mastercard: ECI_MASTERCARD,
  maestro: ECI_MASTERCARD,
  // No table of theirs was found.
  hipercard: null,
  unknown: null,
};

/**
 * A remark for `processor_code_detail` when the ECI does not go with the brand and the status, else null.
 * Such a request is forwarded all the same: the liability, not the charge, depends on it.
 */
export function eciNote(brand: CardBrand, status: AuthenticationStatus, eci: string): string | null {
  const expected = ECIS[brand]?.[status];
  if (!expected || expected.includes(eci)) return null;
  return `ECI ${eci} does not go with ${brand} and 3DS status ${status}: expected ${expected.join(" or ")}`;
}
