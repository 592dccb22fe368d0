// What a list of transactions can be narrowed by (specification 4.6). Values are parsed and valid here; how they look in a
// request is the API's business.

import type { Status } from "../../payment/status.ts";
import type { EventType } from "../../payment/transaction.ts";

/** Fields that are searched by how they begin. `card_first_six` takes the six digits of a card number. */
export const PREFIX_FIELDS = [
  "merchant_transaction_id",
  "card_first_six",
  "first_name",
  "last_name",
  "email",
  "mobile_phone",
  "city",
  "shipping_city",
  "passenger_name",
] as const;
export type PrefixField = (typeof PREFIX_FIELDS)[number];

/** Fields that are searched by their whole value. `amount` is the charge's, in hundredths. */
export const EXACT_FIELDS = [
  "user_id",
  "card_id",
  "card_mask",
  "state",
  "zip",
  "shipping_state",
  "shipping_zip",
  "card_last_four",
  "amount",
  "currency",
  "ticket_number",
] as const;
export type ExactField = (typeof EXACT_FIELDS)[number];

/** One event has all of it. Those count that responses show: what was tried before the charge does not. */
export interface EventFilter {
  readonly type?: EventType;
  /** At an instant, since it follows the clock. */
  readonly status?: { readonly is: Status; readonly at: Date };
}

/**
 * All of it must be true of a transaction; `{}` is true of each. Text is literal and case-sensitive. Both ends of a time are
 * included, and seen to the second: 12:00:00.7 is not later than `createdTo` 12:00:00. What is said of a passenger is true
 * of one and the same.
 */
export interface ListFilter {
  readonly startsWith?: { readonly [field in PrefixField]?: string };
  readonly equals?: { readonly [field in ExactField]?: string };
  /** The authorization code of one of its events. */
  readonly authCode?: string;
  readonly event?: EventFilter;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
  readonly updatedFrom?: Date;
  readonly updatedTo?: Date;
}
