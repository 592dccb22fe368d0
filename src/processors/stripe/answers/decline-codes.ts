// Why Stripe did not do what it was asked: its codes as the two characters of ISO 8583 (field 39) that say the same, and by what
// the merchant can do.
//
// Sources: https://docs.stripe.com/declines/codes (decline codes, with what the customer can do),
// https://docs.stripe.com/error-codes (error codes), https://docs.stripe.com/declines/network-codes (advice codes).

import type { DeclineCategory } from "../../../payment/decline.ts";

export interface Meaning {
  readonly code: string;
  readonly category: DeclineCategory;
}

const refused: Meaning = { code: "05", category: "refused" };
const wrongData = (code: string): Meaning => ({ code, category: "wrong-data" });
const never = (code: string): Meaning => ({ code, category: "do-not-retry" });
const later = (code: string): Meaning => ({ code, category: "try-later" });
const notPermitted: Meaning = { code: "57", category: "not-permitted" };
const fraud = (code: string): Meaning => ({ code, category: "suspected-fraud" });
const limit = (code: string): Meaning => ({ code, category: "limit-exceeded" });
const authenticate: Meaning = { code: "1A", category: "authentication-required" };
const configuration = (code: string): Meaning => ({ code, category: "configuration" });
const wrongState: Meaning = { code: "21", category: "wrong-state" };

/** `decline_code` of an issuer's or of Stripe's own no. */
const DECLINE_CODES: Readonly<Record<string, Meaning>> = {
  approve_with_id: later("19"),
  authentication_not_handled: authenticate,
  authentication_required: authenticate,
  call_issuer: refused,
  card_not_supported: notPermitted,
  card_velocity_exceeded: limit("61"),
  currency_not_supported: notPermitted,
  do_not_honor: refused,
  do_not_try_again: never("05"),
  duplicate_transaction: later("94"),
  expired_card: wrongData("54"),
  fraudulent: fraud("59"),
  generic_decline: refused,
  incorrect_address: wrongData("05"),
  incorrect_cvc: wrongData("82"),
  incorrect_number: wrongData("14"),
  incorrect_pin: wrongData("55"),
  incorrect_zip: wrongData("05"),
  insufficient_funds: { code: "51", category: "insufficient-funds" },
  invalid_account: never("14"),
  invalid_amount: limit("13"),
  invalid_cvc: wrongData("82"),
  invalid_expiry_month: wrongData("54"),
  invalid_expiry_year: wrongData("54"),
  invalid_number: wrongData("14"),
  invalid_pin: wrongData("55"),
  issuer_not_available: later("91"),
  lost_card: never("41"),
  merchant_blacklist: fraud("59"),
  mobile_device_authentication_required: authenticate,
  new_account_information_available: wrongData("05"),
  no_action_taken: refused,
  not_permitted: notPermitted,
  offline_pin_required: authenticate,
  online_or_offline_pin_required: authenticate,
  pickup_card: never("04"),
  pin_try_exceeded: limit("75"),
  previously_declined_do_not_retry: never("05"),
  processing_error: later("96"),
  reenter_transaction: later("19"),
  restricted_card: notPermitted,
  revocation_of_all_authorizations: never("05"),
  revocation_of_authorization: never("05"),
  security_violation: fraud("63"),
  service_not_allowed: notPermitted,
  stolen_card: never("43"),
  stop_payment_order: never("05"),
  testmode_decline: configuration("05"),
  transaction_not_allowed: notPermitted,
  try_again_later: later("19"),
  withdrawal_count_limit_exceeded: limit("65"),
};

/** Codes of a request or an account that is wrong, whatever the card. */
const OF_THE_ACCOUNT = [
  "account_country_invalid_address",
  "application_fees_not_allowed",
  "capability_not_active",
  "charge_invalid_parameter",
  "country_unsupported",
  "livemode_mismatch",
  "not_allowed_on_standard_account",
  "parameter_invalid_empty",
  "parameter_invalid_integer",
  "parameter_invalid_string_blank",
  "parameter_invalid_string_empty",
  "parameter_missing",
  "parameter_unknown",
  "parameters_exclusive",
  "payment_intent_incompatible_payment_method",
  "payment_intent_invalid_parameter",
  "payment_method_invalid_parameter",
  "payment_method_invalid_parameter_testmode",
  "payment_method_unactivated",
  "payment_method_unsupported_type",
  "platform_account_required",
  "platform_api_key_expired",
  "resource_missing",
  "secret_key_required",
  "testmode_charges_only",
  "tls_version_unsupported",
  "transfers_not_allowed",
  "url_invalid",
];

/** `code` of an error that has no decline code. */
const ERROR_CODES: Readonly<Record<string, Meaning>> = {
  ...Object.fromEntries(OF_THE_ACCOUNT.map((code) => [code, configuration("12")])),
  account_closed: never("46"),
  account_invalid: never("14"),
  amount_too_large: limit("13"),
  amount_too_small: wrongData("13"),
  authentication_failure: authenticate,
  authentication_required: authenticate,
  balance_insufficient: later("51"),
  card_decline_rate_limit_exceeded: limit("65"),
  card_declined: refused,
  capture_charge_authorization_expired: wrongState,
  charge_already_captured: wrongState,
  charge_already_refunded: wrongState,
  charge_disputed: wrongState,
  cardholder_phone_number_required: wrongData("05"),
  charge_exceeds_source_limit: limit("61"),
  charge_exceeds_transaction_limit: limit("61"),
  charge_expired_for_capture: wrongState,
  charge_not_refundable: wrongState,
  country_code_invalid: wrongData("05"),
  debit_not_authorized: never("05"),
  email_invalid: wrongData("05"),
  expired_card: wrongData("54"),
  expired_payment_method: wrongData("54"),
  incorrect_address: wrongData("05"),
  incorrect_cvc: wrongData("82"),
  incorrect_number: wrongData("14"),
  incorrect_postal_code: wrongData("05"),
  incorrect_zip: wrongData("05"),
  insufficient_funds: later("51"),
  invalid_card_type: notPermitted,
  invalid_characters: wrongData("05"),
  invalid_charge_amount: wrongData("13"),
  invalid_cvc: wrongData("82"),
  invalid_expiry_month: wrongData("54"),
  invalid_expiry_year: wrongData("54"),
  invalid_number: wrongData("14"),
  payment_intent_authentication_failure: authenticate,
  payment_intent_payment_attempt_expired: wrongState,
  payment_intent_payment_attempt_failed: refused,
  payment_intent_unexpected_state: wrongState,
  payment_method_billing_details_address_missing: wrongData("05"),
  payment_method_customer_decline: refused,
  payment_method_not_available: later("91"),
  payment_method_provider_decline: refused,
  payment_method_provider_timeout: later("91"),
  payment_method_restricted: notPermitted,
  postal_code_invalid: wrongData("05"),
  processing_error: later("96"),
  refer_to_customer: refused,
  refund_disputed_payment: wrongState,
  shipping_address_invalid: wrongData("05"),
  state_unsupported: wrongData("05"),
  tax_id_invalid: wrongData("05"),
  three_d_secure_authentication_not_supported: authenticate,
  three_d_secure_authentication_upstream_error: later("91"),
};

/** `advice_code`: what the issuer says about another try, where the decline itself says nothing. */
const ADVICE: Readonly<Record<string, DeclineCategory>> = {
  confirm_card_data: "wrong-data",
  do_not_try_again: "do-not-retry",
  try_again_later: "try-later",
};

/** What sounds as if another try could help, unless the advice says that none will. */
const MAY_CHANGE: ReadonlySet<DeclineCategory> = new Set(["try-later", "configuration"]);

interface Told {
  readonly type: string;
  readonly code?: string;
  readonly decline_code?: string;
  readonly advice_code?: string;
}

/** A code that no list has is a decline without a reason. A request that Stripe did not like, without a code, is the operator's to mend. */
export function meaningOf({ type, code, decline_code, advice_code }: Told): Meaning {
  const listed = own(DECLINE_CODES, decline_code) ?? own(ERROR_CODES, code);
  const meaning =
    listed ??
    (type !== "invalid_request_error"
      ? refused
      : code === undefined
        ? configuration("12")
        : { ...refused, code: "12" });
  const advice = own(ADVICE, advice_code);
  const counts = meaning.category === "refused" || (advice === "do-not-retry" && MAY_CHANGE.has(meaning.category));
  return counts && advice ? { ...meaning, category: advice } : meaning;
}

function own<T>(table: Readonly<Record<string, T>>, name: string | undefined): T | undefined {
  return name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
