// The lists that are measured: of the big merchant, at the pages where each way of listing has its trouble.

import type { ListFilter } from "../../src/journal/search/list-filter.ts";
import { BEGIN, DAYS, USER } from "./fill.ts";

export interface Case {
  readonly what: string;
  readonly filter: ListFilter;
  /** As shares of the last page; 0 is the first. */
  readonly pages: readonly number[];
}

const day = (nth: number, from = 0): Date => new Date(BEGIN + nth * 86_400_000 + from);
/** Both ends included, to the second. */
const days = (first: number, last: number) => [day(first), day(last + 1, -1_000)] as const;
const [createdFrom, createdTo] = days(500, 500);
const [monthFrom, monthTo] = days(150, 180);

export const CASES: readonly Case[] = [
  { what: "everything", filter: {}, pages: [0, 0.002, 0.17, 0.83, 2] },
  { what: "created on one day", filter: { createdFrom, createdTo }, pages: [0, 1] },
  { what: "order, all of them old", filter: { startsWith: { merchant_transaction_id: "old-" } }, pages: [0, 1] },
  { what: "order, all of them new", filter: { startsWith: { merchant_transaction_id: "new-" } }, pages: [0, 1] },
  { what: "order, none", filter: { startsWith: { merchant_transaction_id: "nobody's" } }, pages: [0] },
  { what: "order, one", filter: { startsWith: { merchant_transaction_id: "order-00123456" } }, pages: [0] },
  { what: "order, nearly all", filter: { startsWith: { merchant_transaction_id: "order-" } }, pages: [0, 0.5] },
  { what: "email, few", filter: { startsWith: { email: "u12345" } }, pages: [0] },
  { what: "last name, few", filter: { startsWith: { last_name: "Last12345" } }, pages: [0] },
  { what: "first name, few", filter: { startsWith: { first_name: "First1234" } }, pages: [0] },
  { what: "card", filter: { startsWith: { card_first_six: "400123" } }, pages: [0] },
  { what: "city, half", filter: { startsWith: { city: "Oslo" } }, pages: [0, 0.5] },
  { what: "city, none", filter: { startsWith: { city: "oslo" } }, pages: [0] },
  { what: "state, an eighth", filter: { equals: { state: "CA" } }, pages: [0, 0.5] },
  { what: "user, a third", filter: { equals: { user_id: USER } }, pages: [0, 0.5] },
  {
    what: "city, state and user",
    filter: { startsWith: { city: "Oslo" }, equals: { state: "CA", user_id: USER } },
    pages: [0, 1],
  },
  {
    what: "order, nearly all, and state",
    filter: { startsWith: { merchant_transaction_id: "order-" }, equals: { state: "NY" } },
    pages: [0],
  },
  {
    what: "email, few, and city, half",
    filter: { startsWith: { email: "u1234", city: "Oslo" } },
    pages: [0],
  },
  {
    what: "one month, and order",
    filter: { startsWith: { merchant_transaction_id: "order-0" }, createdFrom: monthFrom, createdTo: monthTo },
    pages: [0, 1],
  },
  {
    what: "one month, and state",
    filter: { equals: { state: "TX" }, createdFrom: monthFrom, createdTo: monthTo },
    pages: [0, 1],
  },
  { what: "changed since yesterday", filter: { updatedFrom: day(DAYS - 1) }, pages: [0, 1] },
  {
    what: "changed since yesterday, city",
    filter: { startsWith: { city: "Oslo" }, updatedFrom: day(DAYS - 1) },
    pages: [0],
  },
  { what: "changed in the last month", filter: { updatedFrom: day(DAYS - 30) }, pages: [0] },
  { what: "changed in an old month", filter: { updatedFrom: monthFrom, updatedTo: monthTo }, pages: [0] },
  { what: "changed ever", filter: { updatedFrom: day(0) }, pages: [0] },
];
