// faregate ledger
import { type Command, InvalidArgumentError } from "commander";
import { csvLines } from "../csv-lines.ts";
import { archivedUntil } from "../journal/archived.ts";
import { periodOf } from "../journal/search/span.ts";
import { findMerchant } from "../merchants/merchants.ts";
import { archivedText, isAfter } from "../settlement/archived.ts";
import { LEDGER_COLUMNS, LEDGER_LAYOUT, ledgerLine, streamLedger } from "../settlement/ledger.ts";
import { beginningOf, endOf, PERIOD_ENDS } from "../validation/instants.ts";
import { leaf, type Output, uuid } from "./command.ts";
import { withOffice } from "./office.ts";
import { jsonLines, write } from "./print.ts";
import { Refused } from "./refused.ts";

interface Given extends Output {
  readonly merchant: string;
  readonly from: Date;
  readonly to: Date;
  readonly forSpreadsheet?: boolean;
}

export function ledgerCommand(faregate: Command): void {
  leaf(
    faregate,
    "ledger",
    "Print a merchant's movements of money in a period as CSV, as GET /api/ledger does. With --json, one line of JSON each.",
    "faregate ledger --merchant 0193e5b0-… --from 2031-05-01 --to 2031-05-31 > may.csv",
  )
    .requiredOption("--merchant <id>", "the merchant", uuid)
    .requiredOption("--from <day or time>", "the first instant, UTC", (text) => instant(beginningOf(text)))
    .requiredOption("--to <day or time>", "the last instant, UTC, included", (text) => instant(endOf(text)))
    .option("--for-spreadsheet", "CSV that spreadsheets open correctly")
    .action(async ({ merchant, from, to, json, forSpreadsheet = false }: Given) => {
      if (to < from) throw new Refused("--to must not be before --from", { usage: true });
      if (json && forSpreadsheet) throw new Refused("--for-spreadsheet is for CSV: leave out --json", { usage: true });
      await withOffice(async (office) => {
        if ((await findMerchant(office.sql, merchant)) === undefined)
          throw new Refused(`there is no merchant ${merchant}`, { code: "not-found" });
        const archived = await archivedUntil(office.sql, merchant);
        if (archived !== null && !isAfter({ from }, archived))
          throw new Refused(`--from ${archivedText(archived)}`, { usage: true });
        const portions = streamLedger(office.sql, merchant, periodOf(from, to), office.clock.now());
        const layout = { ...LEDGER_LAYOUT, forSpreadsheet, printed: true };
        const lines = json
          ? jsonLines(portions, (record) => record)
          : csvLines(LEDGER_COLUMNS, portions, ledgerLine, layout);
        for await (const some of lines) await write(some);
      });
    });
}

function instant(found: Date | undefined): Date {
  if (found === undefined) throw new InvalidArgumentError(`It must be ${PERIOD_ENDS}.`);
  return found;
}
