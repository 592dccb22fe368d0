// faregate recovery compare
import { type Command, InvalidArgumentError } from "commander";
import { codeOf } from "../journal/database.ts";
import { text } from "../journal/rows.ts";
import type { Backoffice } from "../merchants/backoffice.ts";
import { findProcessorRecord } from "../merchants/processor-lookup.ts";
import type { ProcessorRecord } from "../payment/processor-record.ts";
import { type BookingsReader, NoBookings } from "../processors/bookings.ts";
import { type BrokenLine, NoBooks } from "../processors/books.ts";
import { PROCESSOR_KINDS } from "../processors/kinds.ts";
import { NoReport } from "../processors/settlement-report.ts";
import { beginningOf, type Compared, compare } from "../recovery/compare.ts";
import { isToDecide } from "../recovery/comparison.ts";
import { showRecovery } from "../recovery/recovery.ts";
import { NoSource, sourcesOf } from "../recovery/sources.ts";
import { leaf, type Output, uuid } from "./command.ts";
import { refuseUnopened } from "./command-secrets.ts";
import { withOffice } from "./office.ts";
import { jsonText, progress, table, write } from "./print.ts";
import { headings, inSentences, recoveryFindingAsJson, recoveryFindingAsRow } from "./recovery-finding.ts";
import { Refused } from "./refused.ts";

export interface FromBooks extends Output {
  readonly from?: Date;
  readonly until?: Date;
}
interface Given extends FromBooks {
  readonly processor?: string;
}

export const TO_DECIDE = 3;
const BAD_INPUT = 2;
const DEADLINE_MS = 3_600_000;

export function compareCommand(recovery: Command): void {
  leaf(
    recovery,
    "compare [file...]",
    "Compare the database with what a processor has booked since shortly before it was lost. Nothing is changed, here or there. " +
      "Name the files of an acquirer's books or of a report; Stripe is asked. Without --processor, list what each record needs. " +
      "With --json, print one line of JSON for each finding and one for the totals.",
    "faregate recovery compare --processor 0193e5b0-… --until 2030-05-15T14:30:00Z books-14.csv books-15.csv",
  )
    .option("--processor <id>", "the processor record", uuid)
    .option("--from <time>", "compare operations since then; by default an hour before the newest that is left", timeOf)
    .option("--until <time>", "the files have all that was booked until then; by default until their last line", timeOf)
    .addHelpText(
      "after",
      "\nExit codes: 0 nothing is left to decide; 3 something is; 2 wrong input, or a malformed line; 1 failure.",
    )
    .action(async (files: string[], given: Given) => {
      const { processor } = given;
      if (processor === undefined) {
        if (files.length > 0) throw new Refused("--processor is required: whose books these are", { usage: true });
        return overview(given);
      }
      await withOffice(async (office) => {
        const { record, reader } = await recordWithBookings(office, processor);
        const compared = await comparedWith(office, record, reader, files, given);
        await tell(compared, record, given);
        if (compared.totals.broken > 0) process.exitCode = BAD_INPUT;
        else if (compared.findings.some(({ kind }) => isToDecide(kind))) process.exitCode = TO_DECIDE;
      });
    });
}

async function tell(compared: Compared, record: ProcessorRecord, { json }: Output): Promise<void> {
  const { findings, totals } = compared;
  if (json) {
    for (const finding of findings) await write(`${jsonText(recoveryFindingAsJson(finding, record))}\n`);
    await write(`${jsonText({ totals })}\n`);
    return;
  }
  const rows = findings.map((finding) => recoveryFindingAsRow(finding, record));
  if (rows.length > 0) await write(`${table(headings, rows, "")}\n\n`);
  await write(`${inSentences(compared, record)}\n`);
}

/** @throws Refused if it has none */
export async function recordWithBookings(
  { sql, secrets }: Backoffice,
  id: string,
): Promise<{ readonly record: ProcessorRecord; readonly reader: BookingsReader }> {
  const record = await findProcessorRecord(sql, id, secrets);
  if (record === undefined) throw new Refused(`there is no processor ${id}`);
  const reader = PROCESSOR_KINDS.get(record.kind)?.bookings;
  if (reader === undefined)
    throw new Refused(
      `processors of the kind ${record.kind} have no books and cannot be asked: ` +
        "look each open operation up (faregate recovery show), and enter how it ended (faregate recovery adopt)",
    );
  return { record, reader };
}

export async function comparedWith(
  { sql, clock }: Backoffice,
  record: ProcessorRecord,
  reader: BookingsReader,
  files: readonly string[],
  given: FromBooks,
): Promise<Compared> {
  if (files.length === 0) refuseUnopened(record.id, record.unopened);
  const from = given.from ?? (await beginningOf(sql, clock.now()));
  const signal = AbortSignal.timeout(DEADLINE_MS);
  try {
    const sources = await sourcesOf(sql, record, reader, files, from, signal);
    const comparing = { record, reader, sources, from, until: given.until, asked: files.length === 0 };
    return await compare(sql, comparing, clock.now(), namesBroken());
  } catch (fault) {
    if (fault instanceof NoBooks || fault instanceof NoReport)
      throw new Refused(`these are not the processor's books: ${fault.message}`, { usage: true });
    if (fault instanceof NoSource) throw new Refused(fault.message, { usage: true });
    if (fault instanceof NoBookings) throw new Refused(`the processor gives no records: ${fault.message}`);
    if (fault instanceof Error && "path" in fault)
      throw new Refused(
        `cannot read the file ${fault.path}: ${codeOf(fault) === "ENOENT" ? "it does not exist" : codeOf(fault)}`,
        {
          usage: true,
        },
      );
    throw fault;
  }
}

/** Without a record: which there are, what is open at each, and what a comparison needs. */
async function overview({ json }: Output): Promise<void> {
  await withOffice(async ({ sql }) => {
    const { open, mode } = await showRecovery(sql);
    const rows = await sql`select id, merchant_id, name, kind, currency from processors order by merchant_id, id`;
    const records = rows.map((row) => {
      const reader = PROCESSOR_KINDS.get(text(row.kind))?.bookings;
      return {
        processor_id: text(row.id),
        ...{ merchant_id: text(row.merchant_id), name: text(row.name), kind: text(row.kind) },
        open: open.filter(({ processor_id }) => processor_id === text(row.id)).length,
        needs:
          reader === undefined
            ? "has no books: look each open operation up, and enter how it ended"
            : reader.ask === undefined
              ? reader.needs
              : "nothing: it is asked",
      };
    });
    const lines = records.map(({ processor_id, name, kind, open: some, needs }) => [
      processor_id,
      name,
      kind,
      some,
      needs,
    ]);
    const shown = table(["processor", "name", "kind", "open", "needs"], lines, "There are no processors.");
    await write(json ? `${jsonText({ processors: records }, 2)}\n` : `${shown}\n`);
    if (mode === "recovery" && records.length > 0) process.exitCode = TO_DECIDE;
  });
}

const MOST_BROKEN_NAMED = 20;

function namesBroken() {
  let named = 0;
  return ({ line, fault }: BrokenLine, file: string | null) => {
    if (++named <= MOST_BROKEN_NAMED) progress(`${file ?? "asked"}, line ${line}: ${fault}`);
    else if (named === MOST_BROKEN_NAMED + 1) progress("More lines are malformed: the totals say how many.");
  };
}

export function timeOf(given: string): Date {
  const at = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/.test(given)
    ? new Date(given)
    : undefined;
  if (at === undefined || Number.isNaN(at.getTime()))
    throw new InvalidArgumentError("It must be a time like 2030-05-15T14:30:00Z.");
  return at;
}
