// The terms of an account at a processor: what may be done with its money, whatever the processor's protocol can do, and
// when. A record gets those of its currency; the rules read the terms and never the currency.

/** What the processor of this transaction is able to do and, in a rule, the terms of its account allow. */
export interface Capabilities {
  readonly partialVoid: boolean;
  readonly multipleCaptures: boolean;
  readonly refundBeforeSettlement: boolean;
  // A response that was kept by an earlier version has neither of these.
  /** A payment is voided only as it was charged: not once a part of it was captured or refunded. */
  readonly voidsWholePaymentsOnly?: boolean;
  /** What was captured of an authorization may be refunded before it settles, even where a sale may not. */
  readonly refundsCapturedAuthorizations?: boolean;
}

export interface AccountTerms {
  /** A part of what is left may be voided. */
  readonly partialVoid: boolean;
  /** Money may be refunded before it settles. */
  readonly refundBeforeSettlement: boolean;
  /** Money settles at an instant of the window that only the processor knows, and is not voided from then on. */
  readonly settlesUnseen: boolean;
  /** `"20:30"`, UTC: when authorizations are captured by themselves, unless the operator says otherwise; null: never. */
  readonly autoCaptureAt: string | null;
}

/** As much as the processor can do (decisions 4). */
export const ORDINARY_TERMS: AccountTerms = {
  partialVoid: true,
  refundBeforeSettlement: true,
  settlesUnseen: false,
  autoCaptureAt: null,
};

/** Specification 3 and 8. */
export const CAD_TERMS: AccountTerms = {
  partialVoid: false,
  refundBeforeSettlement: false,
  settlesUnseen: true,
  autoCaptureAt: "20:30",
};

const BY_CURRENCY: ReadonlyMap<string, AccountTerms> = new Map([["CAD", CAD_TERMS]]);

/** What holds for a record of this currency. */
export const defaultTerms = (currency: string): AccountTerms => BY_CURRENCY.get(currency) ?? ORDINARY_TERMS;

/** What the processor can do and the account's terms allow. */
export const withinTerms = (terms: AccountTerms, capabilities: Capabilities): Capabilities => ({
  ...capabilities,
  partialVoid: capabilities.partialVoid && terms.partialVoid,
  refundBeforeSettlement: capabilities.refundBeforeSettlement && terms.refundBeforeSettlement,
  ...(capabilities.refundsCapturedAuthorizations && { refundsCapturedAuthorizations: terms.refundBeforeSettlement }),
});
