// faregate reconcile
import { createReadStream } from "node:fs";
import { type Command, InvalidArgumentError } from "commander";
import { codeOf } from "../journal/database.ts";
import { findProcessor } from "../merchants/processors.ts";
import { type BrokenLine, NoBooks } from "../processors/books.ts";
import { PROCESSOR_KINDS } from "../processors/kinds.ts";
import type { Finding } from "../settlement/reconciliation/reconcile.ts";
import { type Counts, reconcileBooks } from "../settlement/reconciliation/reconciliation.ts";
import { StartFault } from "../start-fault.ts";
import { leaf, type Output, uuid } from "./command.ts";
import { findingAsJson, findingAsRow, HEADINGS, inSentences, rowOf } from "./finding.ts";
import { progress, withOffice } from "./office.ts";
import { write } from "./print.ts";
import { Refused } from "./refused.ts";

interface Given extends Output {
  readonly processor: string;
  readonly day: string;
}

const DIFFERENCES = 1;
const BAD_INPUT = 2;
const MOST_BROKEN_NAMED = 20;
const PROGRESS_EVERY_MS = 2_000;

export function reconcileCommand(faregate: Command): void {
  leaf(
    faregate,
    "reconcile <file>",
    "Compare a processor's books of a day with the journal and list every difference. - reads from stdin. " +
      "With --json, one line of JSON for each finding and one for the totals.",
    "faregate reconcile --processor 0193e5b0-… --day 2030-05-15 books.csv",
  )
    .requiredOption("--processor <id>", "the processor record of the books", uuid)
    .requiredOption("--day <YYYY-MM-DD>", "the day of the books, UTC", dayOf)
    .addHelpText("after", "\nExit codes: 0 no difference; 1 differences; 2 wrong input, or a malformed line.")
    .action(async (file: string, given: Given) => {
      const counts = await badInputIs2(file, () => reconcile(file, given));
      if (counts.broken > 0) process.exitCode = BAD_INPUT;
      else if (counts.differences > 0) process.exitCode = DIFFERENCES;
    });
}

async function reconcile(file: string, { json, processor: id, day }: Given): Promise<Counts> {
  // A file that is not there is told before the database is looked for.
  const csv = file === "-" ? process.stdin : await opened(file);
  csv.setEncoding("utf8");
  return withOffice(async (office) => {
    const processor = await findProcessor(office, id);
    if (processor === undefined) throw new Refused(`there is no processor ${id}`);
    const reader = PROCESSOR_KINDS.get(processor.kind)?.books;
    if (reader === undefined) throw new Refused(`a processor of the kind ${processor.kind} keeps no books`);
    const books = {
      account: { merchantId: processor.merchant_id, processorId: processor.id },
      referenceOf: reader.referenceOf,
      currency: processor.currency,
      day,
      lines: reader.read(csv, processor, day),
    };
    let headed = false;
    const found = async (finding: Finding) => {
      if (json) return write(`${JSON.stringify(findingAsJson(finding, processor.currency))}\n`);
      if (finding.kind === "near-midnight") return; // only counted: they may be many
      if (!headed) await write(`${rowOf(HEADINGS)}\n`);
      headed = true;
      await write(`${rowOf(findingAsRow(finding, processor.currency))}\n`);
    };
    const counts = await reconcileBooks(office.sql, books, office.clock.now(), {
      found,
      broken: namesBroken(),
      progress: sometimes(),
    });
    await write(json ? `${JSON.stringify({ sums: counts })}\n` : `${headed ? "\n" : ""}${inSentences(counts, day)}\n`);
    return counts;
  });
}

/** Exit code 1 means differences, so nothing else may end with it. */
async function badInputIs2<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    if (fault instanceof NoBooks) throw new Refused(`${file} is no day's books: ${fault.message}`, { usage: true });
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

function dayOf(text: string): string {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  if (day === undefined || Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text)
    throw new InvalidArgumentError("It must be a day like 2030-05-15.");
  return text;
}
