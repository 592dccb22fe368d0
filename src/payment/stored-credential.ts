// Who initiates a charge of a stored credential, and why, in the schemes' terms: a payer who is there, or the merchant by what the payer
// agreed to. Pure. Visa: Visa Core Rules, "Merchant-Initiated Transactions" and "Stored Credentials"; Mastercard: Transaction Processing
// Rules, "Credential-on-File Transactions", and the CIT/MIT indicators of its authorization messages. Each kind of processor says in its
// own folder how it writes this.

export const INITIATORS = ["payer", "merchant"] as const;
export type Initiator = (typeof INITIATORS)[number];

/**
 * - Standing instructions, which the payer agrees to with a first charge: `unscheduled` (by need, such as a top-up), `recurring` (a
 *   subscription), `installment` (one purchase in parts), `deposit` (a part before the service)
 * - Industry practices, which complete an earlier charge without the payer: `no-show`, `delayed-charge` (found out after the service),
 *   `resubmission` (of a charge that was declined for lack of money, after the service)
 */
export const REASONS = [
  "unscheduled",
  "recurring",
  "installment",
  "deposit",
  "no-show",
  "delayed-charge",
  "resubmission",
] as const;
export type Reason = (typeof REASONS)[number];

/** Nobody is there to agree to something: only the merchant initiates these. */
const OF_MERCHANT_ONLY: ReadonlySet<Reason> = new Set(["no-show", "delayed-charge", "resubmission"]);

/** Whether the schemes have such a charge. A payer's charge with a reason is the first of its kind. */
export const mayInitiate = (initiator: Initiator, reason: Reason): boolean =>
  initiator === "merchant" || !OF_MERCHANT_ONLY.has(reason);

/** As a request says it. */
export interface Initiation {
  /** Default: the payer. */
  readonly initiator?: Initiator;
  readonly reason?: Reason;
  /** The scheme's, of the card's first charge, which was made elsewhere. */
  readonly networkTransactionId?: string;
}

/** The card on file that was charged, or that the charge stores if it is approved. */
export interface OnFile {
  readonly cardId: string;
  readonly stores?: true;
  /** The scheme's, of its first charge, as it was known when this one began. */
  readonly networkTransactionId?: string;
}

/** What a transaction has of both. */
interface StoredCharge {
  readonly initiation?: Initiation;
  readonly onFile?: OnFile;
}

/** What a scheme gives and takes: Visa 15 digits, Mastercard 13 letters and digits, some of which may be spaces, American Express 15. */
export const NETWORK_TRANSACTION_ID_PATTERN = "^[0-9A-Za-z]([0-9A-Za-z _-]{0,62}[0-9A-Za-z])?$";
const NETWORK_TRANSACTION_ID = new RegExp(NETWORK_TRANSACTION_ID_PATTERN);

/** Of a processor's answer; null for anything that could not be sent again. */
export function networkTransactionIdIn(text: string | null | undefined): string | null {
  const id = text?.trim() ?? "";
  return NETWORK_TRANSACTION_ID.test(id) ? id : null;
}

/** What a processor is told of a charge whose card is stored. */
export interface StoredCredential {
  readonly initiator: Initiator;
  /** Of the merchant's always: what none is given for is unscheduled. */
  readonly reason?: Reason;
  /** `first`: with this charge the card is stored, or a series begins. `later`: it was stored before. */
  readonly use: "first" | "later";
  /** The scheme's, of the first charge. */
  readonly networkTransactionId?: string;
}

/** Undefined: the card is not stored by anybody. */
export function storedCredentialOf({ initiation = {}, onFile }: StoredCharge): StoredCredential | undefined {
  const { initiator = "payer", reason } = initiation;
  const networkTransactionId = initiation.networkTransactionId ?? onFile?.networkTransactionId;
  const isStored = initiator === "merchant" || networkTransactionId !== undefined || (onFile && !onFile.stores);
  if (!isStored && onFile === undefined && reason === undefined) return undefined;
  return {
    initiator,
    ...(initiator === "merchant" ? { reason: reason ?? "unscheduled" } : reason !== undefined && { reason }),
    use: isStored ? "later" : "first",
    ...(networkTransactionId !== undefined && { networkTransactionId }),
  };
}

/**
 * What is remembered with a card on file once a charge of it is approved: which charge was its first, by the scheme's id. Undefined: nothing
 * new.
 */
export function firstNetworkTransactionId(
  { initiation, onFile }: StoredCharge,
  answered: string | null | undefined,
): string | undefined {
  if (onFile === undefined || onFile.networkTransactionId !== undefined) return undefined;
  return initiation?.networkTransactionId ?? answered ?? undefined;
}
