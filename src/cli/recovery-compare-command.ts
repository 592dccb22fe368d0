// faregate recovery compare
import type { Command } from "commander";
import { codeOf } from "../journal/database.ts";
import { countNodes } from "../journal/nodes.ts";
import { text } from "../journal/rows.ts";
import type { Backoffice } from "../merchants/backoffice.ts";
import { findProcessorRecord } from "../merchants/processor-lookup.ts";
import type { ProcessorRecord } from "../payment/processor-record.ts";
import { type BookingsReader, NoBookings } from "../processors/bookings.ts";
import { type BrokenLine, NoBooks } from "../processors/books.ts";
import { PROCESSOR_KINDS } from "../processors/kinds.ts";
import { NoReport } from "../processors/settlement-report.ts";
import { type Standing, standingOf } from "../recovery/begin.ts";
import { beginningOf, type Compared, compare } from "../recovery/compare.ts";
import { isToDecide } from "../recovery/comparison.ts";
import { showRecovery } from "../recovery/recovery.ts";
import { NoSource, sourcesOf } from "../recovery/sources.ts";
import { leaf, type Output, timeOf, uuid } from "./command.ts";
import { refuseUnopened } from "./command-secrets.ts";
import { withOffice } from "./office.ts";
import { jsonText, progress, table, write } from "./print.ts";
import { beginUnnoticed } from "./recovery-begin-command.ts";
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
    "Compare the database with what a processor has booked since shortly before it was lost. No operation is changed, here or there. " +
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
      await withOffice(async (office, author) => {
        const { record, reader } = await recordWithBookings(office, processor);
        const standing = await standingOf(office.sql);
        // The first gateway that starts would begin it; one that runs is looking whether anything is missing.
        const isUnseen = standing === "other-lineage" && (await countNodes(office.sql)) === 0;
        if (isUnseen) await beginUnnoticed(office, author, "it is on another history, and no gateway runs", given.from);
        const compared = await comparedWith(office, record, reader, files, given);
        await tell(compared, record, given);
        if (!isUnseen && NOTES[standing] !== undefined) progress(NOTES[standing]);
        if (compared.totals.broken > 0) process.exitCode = BAD_INPUT;
        else if (compared.findings.some(({ kind }) => isToDecide(kind))) process.exitCode = TO_DECIDE;
      });
    });
}

/** What is missing may be judged wrongly. */
const NOTES: Readonly<Partial<Record<Standing, string>>> = {
  never:
    "The gateways are not in recovery mode, so nothing counts as lost. If the database was put back to a moment in the past: faregate recovery begin",
  "other-lineage": "A gateway is looking whether anything is missing: compare again in 15 seconds.",
};

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

/** @param lostSince where recovery mode has not begun: as of `Comparing` */
export async function comparedWith(
  { sql, clock }: Backoffice,
  record: ProcessorRecord,
  reader: BookingsReader,
  files: readonly string[],
  given: FromBooks,
  lostSince?: Date | null,
): Promise<Compared> {
  if (files.length === 0) refuseUnopened(record.id, record.unopened);
  const from = given.from ?? (await beginningOf(sql, clock.now(), lostSince));
  const signal = AbortSignal.timeout(DEADLINE_MS);
  try {
    const sources = await sourcesOf(sql, record, reader, files, from, signal);
    const comparing = { record, reader, sources, from, until: given.until, lostSince, asked: files.length === 0 };
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
