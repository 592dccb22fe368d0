// A merchant's account at a processor, as the operator set it up. The type only; records are kept by merchants/.

import type { AccountTerms } from "./account-terms.ts";
import type { CardBrand } from "./card-brand.ts";
import type { Schedule } from "./settlement.ts";

export interface ProcessorRecord {
  readonly id: string;
  readonly merchantId: string;
  readonly name: string;
  /** Which implementation of the contract in processors/processor.ts serves it. */
  readonly kind: string;
  /** ISO 4217; the currency of every transaction that goes through it. */
  readonly currency: string;
  readonly enabled: boolean;
  /** May be drawn when a charge names no processor. */
  readonly inRotation: boolean;
  readonly requires: ConditionalFields;
  readonly terms: AccountTerms;
  readonly schedule: Schedule;
  /** By the kind's own schema. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Names of settings that are secret and cannot be opened: while there is one, nothing is sent. */
  readonly unopened?: readonly string[];
}

/** The conditional rows of specification 4.1. */
export interface ConditionalFields {
  /** Brands whose charges must carry a CVV. */
  readonly cvv: readonly CardBrand[];
  /** First and last name of two characters or more. */
  readonly names: boolean;
  /** A Brazilian CPF or CNPJ. */
  readonly document: boolean;
}
