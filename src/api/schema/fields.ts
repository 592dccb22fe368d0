// The kinds of fields that requests are made of. One TypeBox schema checks the request, gives its type and stands in the
// OpenAPI document; `x-must-be` says in words what a
// refused value must be.

import { isIP } from "node:net";
import Type from "typebox";
import { Format } from "typebox/format";
import { parseCardNumber, parseCvv } from "../../payment/card.ts";
import { isCurrency } from "../../payment/currency.ts";
import { parseAmount } from "../../payment/money.ts";
import type { Purpose } from "../../payment/stray-card-number.ts";
import { isBase64, isDirectoryServerId } from "../../payment/three-d-secure.ts";
import { MAY_HOLD } from "../../validation/stray-card-numbers.ts";

export interface About {
  readonly description: string;
  readonly examples?: readonly unknown[];
  /** Numbers that look like a card's and belong here. */
  readonly [MAY_HOLD]?: Purpose;
}

/** PostgreSQL and the processors take neither NUL nor half a surrogate pair. */
const isText = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

Format.Set("text", isText);
Format.Set("amount", (text) => parseAmount(text).ok);
Format.Set("currency", isCurrency);
Format.Set("card-number", (text) => parseCardNumber(text) !== undefined);
Format.Set("card-cvv", (text) => parseCvv(text) !== undefined);
// Without a zone (fe80::1%eth0), which means something on one machine only and has no bound.
Format.Set("ip", (text) => isIP(text) !== 0 && !text.includes("%"));
Format.Set("base64", isBase64);
Format.Set("threeds-xid", (text) => isBase64(text) || isDirectoryServerId(text));
Format.Set("calendar-date", isCalendarDate);

const between = (least: number, most: number): string => (least === most ? `exactly ${most}` : `${least} to ${most}`);

export const text = (least: number, most: number, about: About) =>
  Type.String({
    minLength: least,
    maxLength: most,
    format: "text",
    "x-must-be": `a text of ${between(least, most)} ${most === 1 ? "character" : "characters"}`,
    ...about,
  });

/** Letters and digits only. */
export const code = (least: number, most: number, about: About) =>
  Type.String({
    pattern: `^[A-Za-z0-9]{${least},${most}}$`,
    "x-must-be": `${between(least, most)} letters or digits`,
    ...about,
  });

export const uuid = (about: About) =>
  Type.String({
    pattern: "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$",
    "x-must-be": "a UUID",
    ...about,
  });

export const amount = (about: About) =>
  Type.String({
    format: "amount",
    "x-number": true,
    "x-must-be": "an amount from 0.01 to 9999999 with at most two decimals, such as 3.56",
    ...about,
  });

export const digits = (format: "card-number" | "card-cvv", expects: string, about: About) =>
  Type.String({ format, "x-must-be": expects, ...(format === "card-number" && { [MAY_HOLD]: "anything" }), ...about });

export const matching = (pattern: string, expects: string, about: About) =>
  Type.String({ pattern, "x-must-be": expects, ...about });

/** One of a few texts. */
export const oneOf = (values: readonly string[], expects: string, about: About) =>
  Type.String({ enum: [...values], "x-must-be": expects, ...about });

export const formatted = (format: "ip" | "currency", expects: string, about: About) =>
  Type.String({ format, "x-must-be": expects, ...about });

export const base64 = (most: number, about: About) =>
  Type.String({ maxLength: most, format: "base64", "x-must-be": `Base64 of 1 to ${most} characters`, ...about });

/** `Y-m-d` with leading zeros. */
export const calendarDate = (about: About) =>
  Type.String({ format: "calendar-date", "x-must-be": "a date such as 2031-05-01", ...about });

export const flag = (about: About) => Type.Boolean({ "x-must-be": "true or false", ...about });

/** A date of the Gregorian calendar. A Date would tell too, in twenty times the time; a group has thousands of dates. */
function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))];
  const inLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && inLeapYear ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
  return day >= 1 && day <= days;
}
const DAYS_IN_MONTH: readonly number[] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
