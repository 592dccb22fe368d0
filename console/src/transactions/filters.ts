// The filters of the list as they stand in the page's address: the API's own names, without its brackets. So each view is a link.

import { OPERATIONS } from "../words/answers.ts";
import { STATUSES } from "../words/status.ts";
import { typedMoney } from "../words/typed.ts";
import { couldBeCardNumber } from "./search-words.ts";

export interface FilterField {
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** The filters that a text means, perhaps of other fields too; or what is wrong with it. Otherwise it is taken as it is. */
  readonly takes?: (text: string) => Filters | { readonly wrong: string };
}

export type Filters = Readonly<Record<string, string>>;

export const FILTERS: readonly FilterField[] = [
  { name: "merchant_transaction_id", label: "Order number begins with" },
  { name: "email", label: "E-mail begins with" },
  { name: "last_name", label: "Last name begins with" },
  { name: "first_name", label: "First name begins with" },
  { name: "mobile_phone", label: "Phone begins with" },
  { name: "last_four", label: "Last four digits", placeholder: "1111", takes: lastFourIn },
  { name: "card_number", label: "First six digits", placeholder: "411111", takes: firstSixIn },
  { name: "amount", label: "Amount", placeholder: "1234.50", takes: amountIn },
  { name: "currency", label: "Currency", placeholder: "USD", takes: currencyIn },
  {
    name: "event_type",
    label: "With an event",
    choices: Object.entries(OPERATIONS).map(([value, label]) => ({ value, label })),
  },
  {
    name: "status",
    label: "With an event that is",
    choices: Object.entries(STATUSES).map(([value, { word }]) => ({ value, label: word })),
  },
  { name: "auth_code", label: "Authorization code" },
  { name: "ticket_number", label: "Ticket number" },
  { name: "passenger_name", label: "Passenger begins with" },
  { name: "city", label: "City begins with" },
  { name: "state", label: "State" },
  { name: "zip", label: "Postal code" },
  { name: "shipping_city", label: "Shipping city begins with" },
  { name: "shipping_state", label: "Shipping state" },
  { name: "shipping_zip", label: "Shipping postal code" },
  { name: "user_id", label: "User id" },
  { name: "card_id", label: "Card on file, by its id" },
];

/** Each by a pair of dates. */
export const PERIODS = [
  { name: "created_at", label: "Created" },
  { name: "updated_at", label: "Updated" },
] as const;

const NAMES: ReadonlySet<string> = new Set([
  ...FILTERS.map(({ name }) => name),
  ...PERIODS.flatMap(({ name }) => [`${name}_gte`, `${name}_lte`]),
]);

/** Of an address: what is no filter is left out, as if nobody had written it. */
export function filtersIn(address: string): Filters {
  const pairs = [...new URLSearchParams(address)].filter(([name, value]) => NAMES.has(name) && value !== "");
  return Object.fromEntries(pairs);
}

export function pageIn(address: string): number {
  const page = new URLSearchParams(address).get("page") ?? "1";
  return /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1;
}

/** `status=settled&page=2`; the first page is not named. */
export function addressOf(filters: Filters, page = 1): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ""));
  if (page > 1) query.set("page", String(page));
  return query.toString();
}

/** One filter in words, for what can be taken away with a click. */
export function labelOf(name: string, value: string): string {
  const field = FILTERS.find((one) => one.name === name);
  if (field !== undefined) {
    const label = field.choices?.find((one) => one.value === value)?.label ?? value;
    return `${field.label}: ${label}`;
  }
  const period = PERIODS.find((one) => name.startsWith(one.name));
  return `${period?.label ?? name} ${name.endsWith("_gte") ? "from" : "to"} ${value}`;
}

/** A day of a date field as the API's instant, at its first or last second. */
export const instantOf = (day: string, end: "gte" | "lte"): string =>
  day === "" ? "" : `${day} ${end === "gte" ? "00:00:00" : "23:59:59"}`;

const NOT_WHOLE = "Not a whole card number: its first six or last four digits are enough.";

/** Six digits, or a mask as it is shown: that has the last four as well. */
function firstSixIn(text: string): ReturnType<NonNullable<FilterField["takes"]>> {
  const word = text.replace(/[\s-]/g, "");
  if (couldBeCardNumber(word)) return { wrong: NOT_WHOLE };
  const [, six, four] = /^(\d{6})(?:[*•xX.]{1,9}(\d{4})?)?$/.exec(word) ?? [];
  if (six === undefined)
    return /^\d{4}\*+$/.test(word) ? { card_number: word } : { wrong: "Six digits, such as 411111" };
  return { card_number: `${six}********`, ...(four !== undefined && { last_four: four }) };
}

/** With the dots before them, too. */
function lastFourIn(text: string): ReturnType<NonNullable<FilterField["takes"]>> {
  const word = text.replace(/[\s*•.-]/g, "");
  if (couldBeCardNumber(word)) return { wrong: NOT_WHOLE };
  return /^\d{4}$/.test(word) ? { last_four: word } : { wrong: "Four digits, such as 1111" };
}

function amountIn(text: string): ReturnType<NonNullable<FilterField["takes"]>> {
  return typedMoney(text) ?? { wrong: "An amount such as 1234.50" };
}

function currencyIn(text: string): ReturnType<NonNullable<FilterField["takes"]>> {
  return /^[A-Za-z]{3}$/.test(text) ? { currency: text.toUpperCase() } : { wrong: "Three letters, such as USD" };
}

export interface Understood {
  readonly filters: Filters;
  /** By field; nothing is searched while there is any. */
  readonly wrong: Readonly<Record<string, string>>;
}

/** What the fields of the form mean. */
export function understoodIn(values: Filters): Understood {
  const filters: Record<string, string> = {};
  const wrong: Record<string, string> = {};
  for (const [name, typed] of Object.entries(values)) {
    const text = typed.trim();
    if (text === "") continue;
    const taken = FILTERS.find((field) => field.name === name)?.takes?.(text) ?? { [name]: text };
    if ("wrong" in taken) wrong[name] = String(taken.wrong);
    else Object.assign(filters, taken);
  }
  return { filters, wrong };
}

/** How a filter shows in its field: the six digits without the mask that the API wants. */
export const shownIn = (name: string, value: string): string =>
  name === "card_number" ? value.replace(/^(\d{6})\*+$/, "$1") : value;
