// The query of the ledger: its period, its format, and for whom. Both ends of the period are asked for, so that a file that
// was booked can be asked for again.

import { type Period, periodOf } from "../journal/search/span.ts";
import { beginningOf, endOf, PERIOD_ENDS } from "../validation/instants.ts";
import { shownName } from "../validation/stray-card-numbers.ts";
import type { BodyTree } from "./body/tree.ts";
import { queryFault } from "./body/urlencoded.ts";
import { ONLY_SPREADSHEET } from "./parse-list.ts";
import { RequestFault } from "./request-fault.ts";

export interface LedgerRequest {
  readonly period: Period;
  readonly format: "json" | "csv";
  /** Of CSV. */
  readonly forSpreadsheet: boolean;
}

export function parseLedger(query: BodyTree): LedgerRequest {
  const fault = queryFault(query);
  if (fault) throw fault;
  const problems: Record<string, string[]> = {};
  const { from, to, format, for: reader, ...others } = query;
  for (const name of Object.keys(others))
    problems[shownName(name)] = ["is unknown; there are from, to, format and for"];
  const [first, last] = [instant("from", from, beginningOf), instant("to", to, endOf)];
  if (first && last && last < first) problems.to = ["must not be before from"];
  if (format !== undefined && format !== "json" && format !== "csv") problems.format = ["must be json or csv"];
  if (reader !== undefined && (reader !== "spreadsheet" || format === "json")) problems.for = [ONLY_SPREADSHEET];
  if (Object.keys(problems).length > 0) throw new RequestFault(422, problems);
  return {
    period: periodOf(first, last),
    format: format === "csv" || reader !== undefined ? "csv" : "json",
    forSpreadsheet: reader === "spreadsheet",
  };

  function instant(name: "from" | "to", value: unknown, read: (text: string) => Date | undefined): Date | undefined {
    const found = typeof value === "string" ? read(value) : undefined;
    if (value === undefined) problems[name] = [`is required: ${PERIOD_ENDS}`];
    else if (found === undefined) problems[name] = [`must be ${PERIOD_ENDS}`];
    return found;
  }
}
