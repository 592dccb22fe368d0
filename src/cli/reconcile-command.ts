// faregate reconcile
import { createReadStream } from "node:fs";
import { type Command, InvalidArgumentError } from "commander";
import { archivedUntil } from "../journal/archived.ts";
import { codeOf } from "../journal/database.ts";
import type { Backoffice } from "../merchants/backoffice.ts";
import type { Processor } from "../merchants/processor-schema.ts";
import { findProcessor } from "../merchants/processors.ts";
import { type BooksReader, type BrokenLine, NoBooks } from "../processors/books.ts";
import { PROCESSOR_KINDS } from "../processors/kinds.ts";
import { NoReport } from "../processors/settlement-report.ts";
import { archivedText, isAfter } from "../settlement/archived.ts";
import { ofBooks } from "../settlement/reconciliation/kept-finding.ts";
import type { Finding } from "../settlement/reconciliation/reconcile.ts";
import { type Counts, reconcileBooks } from "../settlement/reconciliation/reconciliation.ts";
import { asPrinted, Run } from "../settlement/reconciliation/run.ts";
import { StartFault } from "../start-fault.ts";
import { newId } from "../uuid.ts";
import { leaf, type Output, uuid } from "./command.ts";
import { advised, findingAsJson, findingAsRow, HEADINGS, inSentences, rowOf } from "./finding.ts";
import { withOffice } from "./office.ts";
import { jsonText, progress, write } from "./print.ts";
import { reconcileSettled } from "./reconcile-settled.ts";
import { Refused } from "./refused.ts";

interface Given extends Output {
  readonly processor: string;
  readonly day?: string;
  readonly payout?: string;
}

const DIFFERENCES = 1;
const BAD_INPUT = 2;
const MOST_BROKEN_NAMED = 20;
const PROGRESS_EVERY_MS = 2_000;

export function reconcileCommand(faregate: Command): void {
  leaf(
    faregate,
    "reconcile [file]",
    "Compare a processor's books of a day, or its report of settled money, with the journal, and list every difference. " +
      "Use - for stdin. Without a file, the report is fetched from the processor, if its kind allows that. " +
      "With --json, print one line of JSON for each finding and one for the totals.",
    "faregate reconcile --processor 0193e5b0-… --day 2030-05-15 books.csv",
  )
    .requiredOption("--processor <id>", "the processor record", uuid)
    .option(
      "--day <YYYY-MM-DD>",
      "the day of the books, UTC; for a report, the day whose money must all be in it",
      dayOf,
    )
    .option("--payout <id>", "fetch the report of this payout from the processor", payoutOf)
    .addHelpText("after", "\nExit codes: 0 no difference; 1 differences; 2 wrong input, or a malformed line.")
    .action(async (file: string | undefined, given: Given) => {
      const { broken, differences } = await badInputIs2(file, () => reconcile(file, given));
      if (broken > 0) process.exitCode = BAD_INPUT;
      else if (differences > 0) process.exitCode = DIFFERENCES;
    });
}

type Totals = Pick<Counts, "broken" | "differences">;

async function reconcile(file: string | undefined, given: Given): Promise<Totals> {
  // A file that is not there is told before the database is looked for.
  const text = file === undefined ? undefined : file === "-" ? process.stdin : await opened(file);
  text?.setEncoding("utf8");
  return withOffice(async (office) => {
    const processor = await findProcessor(office, given.processor);
    if (processor === undefined) throw new Refused(`there is no processor ${given.processor}`, { code: "not-found" });
    const { books, report } = PROCESSOR_KINDS.get(processor.kind) ?? {};
    if (report !== undefined)
      return reconcileSettled(office, processor, report, {
        ...given,
        text,
        file: fileName(file),
        broken: namesBroken(),
      });
    if (books === undefined) throw new Refused(`processors of the kind ${processor.kind} have no books`);
    if (text === undefined) throw new Refused("name the file of the books, or - for stdin");
    if (given.day === undefined) throw new Refused("--day is required: the day of the books");
    const archived = await archivedUntil(office.sql, processor.merchant_id);
    if (archived !== null && !isAfter({ from: new Date(given.day) }, archived))
      throw new Refused(`--day ${archivedText(archived)}`);
    return reconcileDay(office, processor, books, text, { ...given, day: given.day, file: fileName(file) });
  });
}

async function reconcileDay(
  office: Backoffice,
  processor: Processor,
  reader: BooksReader,
  text: AsyncIterable<string>,
  { day, file, json }: Output & { readonly day: string; readonly file: string | null },
): Promise<Counts> {
  const books = {
    account: { merchantId: processor.merchant_id, processorId: processor.id },
    referenceOf: reader.referenceOf,
    currency: processor.currency,
    day,
    lines: reader.read(text, processor, day),
  };
  const { currency } = processor;
  const run = new Run({ ...books.account, ...{ source: "books", currency, day, payout: null, file } });
  const kinds = new Set<string>();
  let headed = false;
  const found = async (raw: Finding) => {
    run.add(ofBooks(raw, currency));
    kinds.add(raw.kind);
    const transactionId = raw.here?.transactionId ?? raw.there?.transactionId;
    const finding = await asPrinted(office.sql, processor.merchant_id, transactionId, raw);
    if (json) return write(`${jsonText(findingAsJson(finding, currency))}\n`);
    if (finding.kind === "near-midnight" || finding.kind === "too-recent") return; // only counted: they may be many
    if (!headed) await write(`${rowOf(HEADINGS)}\n`);
    headed = true;
    await write(`${rowOf(findingAsRow(finding, currency))}\n`);
  };
  const now = office.clock.now();
  const counts = await reconcileBooks(office.sql, books, now, {
    found,
    broken: namesBroken(),
    progress: sometimes(),
  });
  const id = newId(now);
  await write(
    json
      ? `${jsonText({ id, sums: counts })}\n`
      : `${headed ? "\n" : ""}${advised(kinds)}${inSentences(counts, day)}\n`,
  );
  // After what was found is told: it stands even if it cannot be kept.
  await run.keep(office.sql, { id, now }, counts);
  return counts;
}

const fileName = (file: string | undefined): string | null => (file === undefined || file === "-" ? null : file);

/** Exit code 1 means differences, so nothing else may end with it. */
async function badInputIs2<T>(file: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    if (fault instanceof NoReport)
      throw new Refused(file === undefined ? fault.message : `${file} is not a settlement report: ${fault.message}`, {
        usage: true,
      });
    if (fault instanceof NoBooks) throw new Refused(`${file} is not a day's books: ${fault.message}`, { usage: true });
    if (fault instanceof Refused || fault instanceof StartFault) throw new Refused(fault.message, { usage: true });
    if (fault instanceof Error && codeOf(fault) !== "") throw new Refused(fault.message, { usage: true });
    throw fault;
  }
}

async function opened(file: string) {
  const stream = createReadStream(file, { highWaterMark: 262_144 });
  await new Promise((resolve, reject) => {
    stream.once("open", resolve);
    stream.once("error", reject);
  }).catch((fault: unknown) => {
    throw new Refused(
      `cannot read the file ${file}: ${codeOf(fault) === "ENOENT" ? "it does not exist" : codeOf(fault)}`,
    );
  });
  return stream;
}

function namesBroken() {
  let named = 0;
  return ({ line, fault }: BrokenLine) => {
    if (++named <= MOST_BROKEN_NAMED) progress(`line ${line}: ${fault}`);
    else if (named === MOST_BROKEN_NAMED + 1) progress("More lines are malformed: the totals say how many.");
  };
}

function sometimes() {
  let last = Date.now();
  return ({ operations, lines }: Counts) => {
    if (Date.now() - last < PROGRESS_EVERY_MS) return;
    last = Date.now();
    progress(lines === 0 ? `${operations} operations were read` : `${lines} lines were compared`);
  };
}

function payoutOf(text: string): string {
  if (!/^[0-9A-Za-z_-]{1,100}$/.test(text)) throw new InvalidArgumentError("It must be the id of a payout.");
  return text;
}

function dayOf(text: string): string {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  if (day === undefined || Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text)
    throw new InvalidArgumentError("It must be a day like 2030-05-15.");
  return text;
}
