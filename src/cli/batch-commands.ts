// faregate batch …
import type { Command } from "commander";
import { csvLines } from "../csv-lines.ts";
import { lister } from "../journal/search/ask.ts";
import type { Backoffice } from "../merchants/backoffice.ts";
import { pageMeta } from "../page-meta.ts";
import { amountOf, renderAmount } from "../payment/money.ts";
import {
  BATCH_EVENT_COLUMNS,
  BATCH_EVENT_LAYOUT,
  batchEventLine,
  OPERATOR,
  streamEvents,
} from "../settlement/batch-events.ts";
import { type Batch, findBatch, listBatches, totalsOf, whyNotWhole } from "../settlement/batches.ts";
import { isUuid } from "../uuid.ts";
import { timestamp } from "../validation/fields.ts";
import { group, leaf, type Output, pageNumber, uuid } from "./command.ts";
import { withOffice } from "./office.ts";
import { details, jsonLines, print, progress, table, write } from "./print.ts";
import { Refused } from "./refused.ts";

interface EventsGiven extends Output {
  readonly forSpreadsheet?: boolean;
}

interface Given extends Output {
  readonly merchant?: string;
  readonly processor?: string;
  readonly page: number;
}

const ON_A_PAGE = 50;

export function batchCommands(faregate: Command): void {
  const records = group(faregate, "batch", "Settlement batches whose cut-off has passed.");

  leaf(
    records,
    "list",
    `List batches, newest first, ${ON_A_PAGE} a page.`,
    "faregate batch list --processor 0193e5b4-…",
  )
    .option("--merchant <id>", "only this merchant's", uuid)
    .option("--processor <id>", "only this processor record's", uuid)
    .option("--page <number>", "the page number", pageNumber, 1)
    .action(async ({ json, merchant: merchantId, processor: processorId, page }: Given) => {
      const { batches, total } = await withOffice(({ sql, clock }) =>
        listBatches(sql, clock.now(), { merchantId, processorId }, page),
      );
      const shown = batches.map(show);
      const meta = pageMeta(total, ON_A_PAGE, page);
      const rows = shown.map((one) => [one.id, one.cutoff_at, one.currency, one.processor_id, one.merchant_id]);
      const headings = ["id", "cut-off", "currency", "processor", "merchant"];
      print(json, { batches: shown, meta }, () => table(headings, rows, "There are no batches."));
      if (page < meta.last_page) progress(`${shown.length} of ${total} shown. Continue with --page ${page + 1}`);
    });

  leaf(
    records,
    "show <id>",
    "Show a batch with its totals by operation and brand.",
    "faregate batch show 0193e5b9-…",
  ).action(async (id: string, { json }: Output) => {
    const batch = await withOffice(async (office) => {
      const found = await wholeBatch(office, id);
      const { totals, voided, net } = await totalsOf(lister(office.sql, OPERATOR), office.clock.now(), found);
      return {
        ...show(found),
        totals: totals.map((one) => ({
          operation: one.operation,
          card_brand: one.cardBrand,
          count: one.count,
          amount: renderAmount(one.amount),
        })),
        voided: renderAmount(voided),
        net: net < 0n ? `-${renderAmount(amountOf(-net))}` : renderAmount(amountOf(net)),
      };
    });
    const { totals, ...rest } = batch;
    const rows = totals.map((one) => [one.operation, one.card_brand, one.count, one.amount]);
    const headings = ["operation", "brand", "count", "amount"];
    print(json, { batch }, () => `${details("The batch:", rest)}\n\n${table(headings, rows, "It has no events.")}`);
  });

  eventsCommand(records);
}

function eventsCommand(records: Command): void {
  leaf(
    records,
    "events <id>",
    "Print a batch's events as CSV, in the order of their outcomes. With --json, one line of JSON each.",
    "faregate batch events 0193e5b9-… > batch.csv",
  )
    .option("--for-spreadsheet", "CSV that spreadsheets open correctly")
    .action(async (id: string, { json, forSpreadsheet = false }: EventsGiven) => {
      if (json && forSpreadsheet) throw new Refused("--for-spreadsheet is for CSV: leave out --json", { usage: true });
      await withOffice(async (office) => {
        const batch = await wholeBatch(office, id);
        const portions = streamEvents(office.sql, batch);
        const layout = { ...BATCH_EVENT_LAYOUT, forSpreadsheet, printed: true };
        const lines = json
          ? jsonLines(portions, batchEventLine(batch))
          : csvLines(BATCH_EVENT_COLUMNS, portions, batchEventLine(batch), layout);
        for await (const some of lines) await write(some);
      });
    });
}

async function wholeBatch({ sql, clock }: Backoffice, id: string): Promise<Batch> {
  const batch = isUuid(id) ? await findBatch(sql, clock.now(), id) : undefined;
  if (batch === undefined)
    throw new Refused(`there is no batch ${id}, or its cut-off has not passed yet`, { code: "not-found" });
  const archived = await whyNotWhole(sql, batch);
  if (archived !== undefined) throw new Refused(archived);
  return batch;
}

const show = ({ id, merchantId, processorId, currency, cutoffAt }: Batch) => ({
  id,
  merchant_id: merchantId,
  processor_id: processorId,
  currency,
  cutoff_at: timestamp(cutoffAt),
});
