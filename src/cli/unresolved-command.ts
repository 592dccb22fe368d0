// faregate unresolved
import type { Command } from "commander";
import { listUnresolved, UNRESOLVED_ON_A_PAGE, type Unresolved } from "../merchants/unresolved.ts";
import { leaf, type Output, pageNumber, uuid } from "./command.ts";
import { progress, withOffice } from "./office.ts";
import { print, table } from "./print.ts";

interface Given extends Output {
  readonly merchant?: string;
  readonly processor?: string;
  readonly page: number;
}

export function unresolvedCommand(faregate: Command): void {
  leaf(
    faregate,
    "unresolved",
    `List operations without an outcome and charges still to be reversed, oldest first, ${UNRESOLVED_ON_A_PAGE} a page. ` +
      "With --json, also the attempts so far.",
    "faregate unresolved --processor 0193e5b0-…",
  )
    .option("--merchant <id>", "only this merchant's", uuid)
    .option("--processor <id>", "only this processor record's", uuid)
    .option("--page <number>", "the page number", pageNumber, 1)
    .action(async ({ json, merchant, processor, page }: Given) => {
      const list = await withOffice(({ sql, clock }) =>
        listUnresolved(sql, clock.now(), { merchantId: merchant, processorId: processor }, page),
      );
      const { unresolved, meta } = list;
      print(json, list, () => table(HEADINGS, unresolved.map(row), "Nothing is unresolved."));
      if (page < meta.last_page)
        progress(`${unresolved.length} of ${meta.total} shown. Continue with --page ${page + 1}`);
    });
}

const HEADINGS = [
  "transaction",
  "operation",
  "amount",
  "processor",
  "remedy",
  "attempts",
  "since",
  "next attempt",
  "last result",
];

const row = (event: Unresolved) => [
  event.transaction_id,
  event.event_type,
  `${event.amount} ${event.currency}`,
  event.processor_id,
  event.remedy,
  event.attempts,
  event.since,
  event.in_flight ? "in flight" : event.due_at,
  event.last_said,
];
