// Which period the overview's address names: one of those that end with today, or any two days. Pure.

import { PERIODS, type Period, periodOf, type Span } from "./steps.ts";

export interface View {
  /** Undefined where the address names days. */
  readonly period: Period | undefined;
  readonly span: Span;
}

const USUAL = "7 days";
const DAY = /^\d{4}-\d\d-\d\d$/;

/** An address that names no period, or one that nobody knows, shows the usual one. */
export function viewIn(address: string, now: Date): View {
  const query = new URLSearchParams(address);
  const [from, to] = [query.get("from") ?? "", query.get("to") ?? ""];
  if (DAY.test(from) && DAY.test(to)) return { period: undefined, span: { from, to } };
  const named = (name: string | null) => PERIODS.find((one) => one.name === name);
  const period = named(query.get("period")) ?? named(USUAL) ?? PERIODS[0];
  return { period, span: periodOf(period, now) };
}
