// A charge to try the routing with, as it stands in the page's address. Pure.

import { amountSent } from "../words/typed.ts";

export interface Tried {
  /** By the fields of the form. */
  readonly values: Readonly<Record<string, string>>;
  /** As the API takes it; undefined while nothing is asked. */
  readonly charge: object | undefined;
}

const TEXTS = ["amount", "card_start", "currency", "country", "meta", "transaction_id"] as const;
const OTHERS = ["airline", "without"] as const;

export function triedIn(address: string): Tried {
  const query = new URLSearchParams(address);
  const present = [...TEXTS, ...OTHERS].flatMap((name) => {
    const value = query.get(name)?.trim() ?? "";
    return value === "" ? [] : [[name, value] as const];
  });
  const values: Readonly<Record<string, string>> = Object.fromEntries(present);
  if (values.amount === undefined || values.card_start === undefined) return { values, charge: undefined };
  const texts = Object.fromEntries(TEXTS.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])));
  const lacks = ["cvv", "names", "document"].filter((one) => one === values.without);
  return {
    values,
    charge: {
      ...texts,
      amount: amountSent(values.amount),
      card_start: values.card_start.replace(/[\s-]/g, ""),
      ...(values.currency !== undefined && { currency: values.currency.toUpperCase() }),
      ...(values.country !== undefined && { country: values.country.toUpperCase() }),
      ...(values.meta !== undefined && { meta: jsonOf(values.meta) }),
      ...(values.airline !== undefined && { airline: values.airline === "yes" }),
      ...Object.fromEntries(lacks.map((name) => [name, false])),
    },
  };
}

/** What is no JSON goes as it is: the API says so. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
