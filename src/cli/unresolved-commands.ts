// faregate unresolved, faregate resolve
import { type Command, Option } from "commander";
import { enterResolution, RESOLVED_AS, type ResolvedAs } from "../merchants/resolution.ts";
import { listUnresolved, UNRESOLVED_ON_A_PAGE, type Unresolved } from "../merchants/unresolved.ts";
import { leaf, type Output, pageNumber, stated, uuid } from "./command.ts";
import { withOffice } from "./office.ts";
import { details, print, progress, table } from "./print.ts";
import { orRefuse } from "./refused.ts";

interface Given extends Output {
  readonly merchant?: string;
  readonly processor?: string;
  readonly page: number;
}

interface Resolved extends Output {
  readonly outcome: ResolvedAs;
  readonly evidence: string;
  readonly processorTransactionId?: string;
}

export function unresolvedCommands(faregate: Command): void {
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

  leaf(
    faregate,
    "resolve <event>",
    "Enter how an unresolved operation ended, as the processor's own site shows it. For operations that the processor will never report.",
    "faregate resolve 0193e5b9-… --outcome reversed --evidence 'Customer Area: no payment with this reference'",
  )
    .addOption(
      new Option("--outcome <outcome>", "how it ended; reversed, for a charge: no money is held or taken")
        .choices(RESOLVED_AS)
        .makeOptionMandatory(),
    )
    .requiredOption("--evidence <words>", "where you saw that, for the audit log")
    .option("--processor-transaction-id <id>", "the processor's reference; required for an approved sale or auth")
    .action(async (event: string, { json, outcome, evidence, processorTransactionId }: Resolved) => {
      const input = stated({ outcome, evidence, processor_transaction_id: processorTransactionId });
      const resolution = await withOffice(async (office, author) =>
        orRefuse(await enterResolution(office, author, event, input)),
      );
      print(json, { resolution }, () => details("It was entered. A gateway applies it within a second.", resolution));
    });
}

const HEADINGS = [
  "event",
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
  event.event_id,
  event.transaction_id,
  event.event_type,
  `${event.amount} ${event.currency}`,
  event.processor_id,
  event.remedy,
  event.attempts,
  event.since,
  event.in_flight ? "in flight" : event.remedy === "operator" ? "none" : event.due_at,
  event.last_said,
];
