// The query of a list: its filters, its page, its format (specification 4.6, decisions 8). An unknown filter is an error,
// so that a typo never lists everything.

import { word } from "../journal/rows.ts";
import type { ListFilter } from "../journal/search/list-filter.ts";
import { isCurrency } from "../payment/currency.ts";
import { parseAmount } from "../payment/money.ts";
import { STATUSES } from "../payment/status.ts";
import { EVENT_TYPES } from "../payment/transaction.ts";
import { isUuid } from "../uuid.ts";
import { beginningOf, dateOf } from "../validation/instants.ts";
import { shownName } from "../validation/stray-card-numbers.ts";
import { type BodyTree, isBodyTree } from "./body/tree.ts";
import { queryFault } from "./body/urlencoded.ts";
import { RequestFault } from "./request-fault.ts";

export interface ListRequest {
  readonly filter: ListFilter;
  /** As large as it may be: past the end a list is empty. */
  readonly page: number;
  readonly format: "json" | "csv";
  /** Of CSV. */
  readonly forSpreadsheet: boolean;
}

/** A filter's value is fine (undefined), or must be what the text says. */
type Check = (text: string) => string | undefined;

const length =
  (least: number, most: number): Check =>
  (text) => {
    const characters = [...text].length;
    const fits = characters >= least && characters <= most && !text.includes("\0") && text.isWellFormed();
    return fits ? undefined : `a text of ${least === most ? most : `${least} to ${most}`} characters`;
  };
const matching =
  (pattern: RegExp, expected: string): Check =>
  (text) =>
    pattern.test(text) ? undefined : expected;

const oneOf =
  (words: readonly string[]): Check =>
  (text) =>
    words.includes(text) ? undefined : `one of ${words.join(", ")}`;

const STATE = matching(/^[A-Za-z0-9]{1,3}$/, "1 to 3 letters or digits");
const UUID: Check = (text) => (isUuid(text) ? undefined : "a UUID");
const FIRST_SIX = /^\d{6}\*{8}$/;
/** As transactions show cards of eight and nine digits, of which at least four are hidden (decision A5). */
const SHORT_MASK = /^(\d{4}\*{4}|\d{5}\*{4})$/;
/** As transactions show longer cards. The specification's filter takes none of their last digits. */
const LONG_MASK = /^(\d{6})\*+(\d{0,4})$/;
const CARD: Check = (text) => {
  if (FIRST_SIX.test(text) || SHORT_MASK.test(text)) return undefined;
  const [, firstSix = "411111", lastFour = ""] = LONG_MASK.exec(text) ?? [];
  const other = lastFour.length === 4 ? "; the last four digits are a filter of their own, last_four" : "";
  return `the first six digits and eight asterisks, such as ${firstSix}********${other}`;
};
/** Specification 4.6: 19 characters. What a whole day is, its ends say. */
const DATE: Check = (text) => {
  if (dateOf(text)) return undefined;
  const whole = beginningOf(text) ? `; this day is from ${text} 00:00:00 to ${text} 23:59:59` : "";
  return `a date and time (UTC) such as 2031-05-01 14:30:00, or as responses show it${whole}`;
};

const LAST_FOUR = matching(/^\d{4}$/, "the last four digits of the card number, such as 1111");
const AMOUNT: Check = (text) => (parseAmount(text).ok ? undefined : "the charge's amount, such as 12.34");
const CURRENCY: Check = (text) => (isCurrency(text) ? undefined : "an ISO 4217 code in capitals, such as USD");

/** As wide as what is stored: the table's lengths of state, zip and mobile_phone would leave some out of reach. */
export const FILTERS = {
  merchant_transaction_id: { type: "prefix", check: length(1, 255) },
  card_number: { type: "prefix", check: CARD },
  first_name: { type: "prefix", check: length(1, 255) },
  last_name: { type: "prefix", check: length(1, 255) },
  email: { type: "prefix", check: length(1, 255) },
  mobile_phone: { type: "prefix", check: length(1, 15) },
  user_id: { type: "exact", check: UUID },
  card_id: { type: "exact", check: UUID },
  city: { type: "prefix", check: length(1, 255) },
  state: { type: "exact", check: STATE },
  zip: { type: "exact", check: length(2, 255) },
  shipping_city: { type: "prefix", check: length(1, 255) },
  shipping_state: { type: "exact", check: STATE },
  shipping_zip: { type: "exact", check: length(2, 255) },
  last_four: { type: "exact", check: LAST_FOUR },
  amount: { type: "exact", check: AMOUNT },
  currency: { type: "exact", check: CURRENCY },
  auth_code: { type: "exact", check: length(1, 12) },
  ticket_number: { type: "exact", check: length(1, 13) },
  passenger_name: { type: "prefix", check: length(1, 20) },
  event_type: { type: "exact", check: oneOf(EVENT_TYPES) },
  status: { type: "exact", check: oneOf(STATUSES) },
  created_at_gte: { type: "date", check: DATE },
  created_at_lte: { type: "date", check: DATE },
  updated_at_gte: { type: "date", check: DATE },
  updated_at_lte: { type: "date", check: DATE },
} as const satisfies Record<string, { type: "prefix" | "exact" | "date"; check: Check }>;
export type FilterName = keyof typeof FILTERS;

/** @param now the time at which statuses are judged */
export function parseList(query: BodyTree, now: Date): ListRequest {
  const fault = queryFault(query);
  if (fault) throw fault;
  const problems: Record<string, string[]> = {};
  const { search, page, format, for: reader, ...others } = query;
  // `serach[zip]=…` is meant as a filter too.
  for (const name of Object.keys(others)) problems[shownName(name)] = [UNKNOWN];
  const values = filterValues(search, problems);
  const number = page === undefined ? 1 : pageOf(page);
  if (number === undefined) problems.page = ["must be a whole number from 1 up"];
  if (format !== undefined && format !== "json" && format !== "csv") problems.format = ["must be json or csv"];
  if (reader !== undefined && (reader !== "spreadsheet" || format === "json")) problems.for = [ONLY_SPREADSHEET];
  if (Object.keys(problems).length > 0) throw new RequestFault(422, problems);
  return {
    filter: filterOf(values, now),
    page: number ?? 1,
    format: format === "csv" || reader !== undefined ? "csv" : "json",
    forSpreadsheet: reader === "spreadsheet",
  };
}

const UNKNOWN = "is unknown; use page, format, for, or filters as search[field]=value";
export const ONLY_SPREADSHEET = "must be spreadsheet, and not with format=json";

type Values = { readonly [name in FilterName]?: string };

function filterValues(search: BodyTree[string] | undefined, problems: Record<string, string[]>): Values {
  if (search === undefined) return {};
  if (!isBodyTree(search)) {
    problems.search = ["must name a field: search[field]=value"];
    return {};
  }
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(search)) {
    if (!Object.hasOwn(FILTERS, name))
      problems[`search.${shownName(name)}`] = [`is unknown; use one of ${Object.keys(FILTERS).join(", ")}`];
    else if (typeof value !== "string") problems[`search.${name}`] = ["must be given once"];
    else if (value === "") problems[`search.${name}`] = ["must not be empty: leave the filter out to list everything"];
    else {
      const wanted = FILTERS[name as FilterName].check(value);
      if (wanted !== undefined) problems[`search.${name}`] = [`must be ${wanted}`];
      // Ids are lower case, and compared as they are.
      values[name] = FILTERS[name as FilterName].check === UUID ? value.toLowerCase() : value;
    }
  }
  return values;
}

function pageOf(page: unknown): number | undefined {
  const valid = typeof page === "string" && /^[1-9]\d*$/.test(page);
  return valid ? Math.min(Number(page), Number.MAX_SAFE_INTEGER) : undefined;
}

/** Of values that are fine. */
function filterOf(values: Values, now: Date): ListFilter {
  const { card_number: card, last_four, amount, auth_code: authCode, event_type, status, ...others } = values;
  const event = {
    ...(event_type !== undefined && { type: word(EVENT_TYPES)(event_type) }),
    ...(status !== undefined && { status: { is: word(STATUSES)(status), at: now } }),
  };
  const of = (type: "prefix" | "exact") =>
    Object.fromEntries(Object.entries(others).filter(([name]) => FILTERS[name as FilterName].type === type));
  const digits = card?.slice(0, card.indexOf("*"));
  const mask = card !== undefined && !FIRST_SIX.test(card) && { card_mask: card };
  const date = (name: FilterName) => dateOf(values[name] ?? "");
  const [createdFrom, createdTo] = [date("created_at_gte"), date("created_at_lte")];
  const [updatedFrom, updatedTo] = [date("updated_at_gte"), date("updated_at_lte")];
  return {
    startsWith: { ...of("prefix"), ...(digits !== undefined && { card_first_six: digits }) },
    equals: {
      ...of("exact"),
      ...mask,
      ...(last_four !== undefined && { card_last_four: last_four }),
      ...(amount !== undefined && { amount: hundredthsOf(amount) }),
    },
    ...(authCode !== undefined && { authCode }),
    ...((event_type ?? status) !== undefined && { event }),
    ...(createdFrom && { createdFrom }),
    ...(createdTo && { createdTo }),
    ...(updatedFrom && { updatedFrom }),
    ...(updatedTo && { updatedTo }),
  };
}

function hundredthsOf(text: string): string {
  const parsed = parseAmount(text);
  if (!parsed.ok) throw new Error("broken invariant: an amount was not checked");
  return parsed.amount.toString();
}
