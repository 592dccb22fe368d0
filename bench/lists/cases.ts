// The lists that are measured: of the big merchant, at the pages where each way of listing has its trouble.

import { BEGIN, DAYS, USER } from "./fill.ts";

export interface Case {
  readonly what: string;
  /** As the API names its filters: search[name]=value. */
  readonly search: Readonly<Record<string, string>>;
  /** As shares of the last page; 0 is the first. */
  readonly pages: readonly number[];
  /** Where nothing is prepared it is refused, at a merchant with so many. */
  readonly onlyPrepared?: true;
}

const day = (nth: number): string => new Date(BEGIN + nth * 86_400_000).toISOString().slice(0, 10);
const first = (nth: number) => `${day(nth)} 00:00:00`;
const last = (nth: number) => `${day(nth)} 23:59:59`;
/** Both days included. */
const created = (from: number, to: number) => ({ created_at_gte: first(from), created_at_lte: last(to) });
const changed = (from: number, to: number) => ({ updated_at_gte: first(from), updated_at_lte: last(to) });
const yesterday = { updated_at_gte: first(DAYS - 1) };

export const CASES: readonly Case[] = [
  { what: "everything", search: {}, pages: [0, 0.002, 0.17, 0.83, 2] },
  { what: "created on one day", search: created(500, 500), pages: [0, 1] },
  { what: "order, all of them old", search: { merchant_transaction_id: "old-" }, pages: [0, 1] },
  { what: "order, the newest before", search: { merchant_transaction_id: "new-" }, pages: [0, 1] },
  { what: "order, none", search: { merchant_transaction_id: "nobody's" }, pages: [0] },
  { what: "order, one", search: { merchant_transaction_id: "order-00123456" }, pages: [0] },
  { what: "order, nearly all", search: { merchant_transaction_id: "order-" }, pages: [0, 0.5] },
  { what: "email, few", search: { email: "u12345" }, pages: [0] },
  { what: "last name, few", search: { last_name: "Last12345" }, pages: [0] },
  { what: "first name, few", search: { first_name: "First1234" }, pages: [0] },
  { what: "phone, few", search: { mobile_phone: "151412345" }, pages: [0] },
  { what: "zip, few", search: { zip: "12345" }, pages: [0] },
  { what: "shipping city, few", search: { shipping_city: "City1234" }, pages: [0] },
  { what: "shipping state, an eighth", search: { shipping_state: "CA" }, pages: [0, 0.5] },
  { what: "shipping zip, few", search: { shipping_zip: "12345" }, pages: [0] },
  { what: "card, first six", search: { card_number: "400123********" }, pages: [0] },
  { what: "card, last four, all", search: { last_four: "1111" }, pages: [0, 0.5] },
  { what: "card, last four, none", search: { last_four: "4242" }, pages: [0] },
  { what: "amount, nearly all", search: { amount: "12.34" }, pages: [0, 0.5] },
  { what: "currency, all", search: { currency: "USD" }, pages: [0, 0.5] },
  { what: "authorization code, none", search: { auth_code: "NOBODY" }, pages: [0] },
  { what: "ticket, none", search: { ticket_number: "0001234567890" }, pages: [0] },
  { what: "passenger, none", search: { passenger_name: "DOE" }, pages: [0] },
  { what: "city, half", search: { city: "Oslo" }, pages: [0, 0.5] },
  { what: "city, none", search: { city: "oslo" }, pages: [0] },
  { what: "state, an eighth", search: { state: "NY" }, pages: [0, 0.5] },
  { what: "user, a third", search: { user_id: USER }, pages: [0, 0.5] },
  { what: "city, state and user", search: { city: "Oslo", state: "CA", user_id: USER }, pages: [0, 1] },
  { what: "order, nearly all, and state", search: { merchant_transaction_id: "order-", state: "NY" }, pages: [0] },
  { what: "email, few, and city, half", search: { email: "u1234", city: "Oslo" }, pages: [0] },
  { what: "one month, and order", search: { merchant_transaction_id: "order-0", ...created(150, 180) }, pages: [0, 1] },
  { what: "one month, and state", search: { state: "TX", ...created(150, 180) }, pages: [0, 1] },
  { what: "changed since yesterday", search: yesterday, pages: [0, 1] },
  { what: "changed since yesterday, city", search: { city: "Oslo", ...yesterday }, pages: [0] },
  { what: "changed in the last month", search: { updated_at_gte: first(DAYS - 30) }, pages: [0] },
  { what: "changed in an old month", search: changed(150, 180), pages: [0] },
  { what: "changed ever", search: { updated_at_gte: first(0) }, pages: [0] },
  { what: "sales", search: { event_type: "sale" }, pages: [0, 0.5], onlyPrepared: true },
  { what: "authorizations, none", search: { event_type: "auth" }, pages: [0], onlyPrepared: true },
  { what: "not settled, all", search: { status: "pending_settlement" }, pages: [0, 0.5], onlyPrepared: true },
  { what: "declined, none", search: { status: "declined" }, pages: [0], onlyPrepared: true },
  {
    what: "refund not settled, and state",
    search: { event_type: "refund", status: "pending_settlement", state: "NY" },
    pages: [0, 1],
    onlyPrepared: true,
  },
  { what: "refunded, of one day", search: { event_type: "refund", ...created(500, 500) }, pages: [0, 1] },
  { what: "declined, of one day", search: { status: "declined", ...created(500, 500) }, pages: [0] },
];
