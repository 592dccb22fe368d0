// faregate describe-message
import { createReadStream } from "node:fs";
import type { Command } from "commander";
import { findProcessor } from "../merchants/processors.ts";
import type { ProcessorKind } from "../processors/kind.ts";
import { PROCESSOR_KINDS } from "../processors/kinds.ts";
import { type DescribedMessage, UnreadableMessage } from "../processors/message-reader.ts";
import { reasonOf } from "../start-fault.ts";
import { leaf, type Output, uuid } from "./command.ts";
import { withOffice } from "./office.ts";
import { print, table } from "./print.ts";
import { Refused } from "./refused.ts";
import { collectSetting, type SetTexts, settingValues } from "./setting-values.ts";

interface Given extends Output {
  readonly kind: string;
  readonly processor?: string;
  readonly framed?: true;
  readonly set?: SetTexts;
}

/** Some hundred messages. */
const MOST_DIGITS = 1_000_000;

export function describeMessageCommand(faregate: Command): void {
  leaf(
    faregate,
    "describe-message [file]",
    "Print a message to or from a processor field by field, with card numbers masked and CVVs hidden. The file has the " +
      "message as hexadecimal digits; without a file, or with -, they are read from stdin.",
    "faregate describe-message --set digits=bcd --framed capture.hex",
  )
    .option("--kind <kind>", `one of ${readable().join(", ")}`, "iso8583")
    .option("--processor <id>", "use the encoding in this processor record's settings", uuid)
    .option("--framed", "each message comes after its length")
    .option("--set <name=value>", "a setting for the encoding of messages: digits, bitmap, framing", collectSetting)
    .addHelpText("after", "\nExit codes: 0 all messages were read; 2 wrong input.")
    .action(async (file: string | undefined, given: Given) => {
      const bytes = await bytesOf(file);
      const { kind, settings } = await writingOf(given);
      const messages = read(kind, bytes, settings, given.framed ?? false);
      print(given.json, { messages }, () => messages.map(inLines).join("\n\n"));
    });
}

const readable = (): readonly string[] =>
  [...PROCESSOR_KINDS.values()].flatMap(({ name, messages }) => (messages === undefined ? [] : [name]));

async function writingOf({ kind, processor: id, set = [] }: Given) {
  if (id === undefined) return { kind: kindOf(kind), settings: settingValues(PROCESSOR_KINDS.get(kind), set) };
  const record = await withOffice((office) => findProcessor(office, id));
  if (record === undefined) throw refused(`there is no processor ${id}`);
  const found = kindOf(record.kind);
  return { kind: found, settings: { ...record.settings, ...settingValues(found, set) } };
}

function kindOf(name: string): ProcessorKind {
  const kind = PROCESSOR_KINDS.get(name);
  if (kind?.messages !== undefined) return kind;
  throw refused(
    `processors of the kind ${name} have no messages to describe; these kinds have: ${readable().join(", ")}`,
  );
}

function read({ messages }: ProcessorKind, bytes: Buffer, settings: Record<string, unknown>, framed: boolean) {
  try {
    return messages?.describe(bytes, settings, framed) ?? [];
  } catch (fault) {
    if (!(fault instanceof UnreadableMessage)) throw fault;
    throw refused(`this is not a valid message: ${fault.message}`);
  }
}

/** Says nothing of what is in the file: it may be a card number. */
async function bytesOf(file = "-"): Promise<Buffer> {
  const digits = await digitsOf(file);
  const wrong = digits.search(/[^0-9A-Fa-f]/);
  if (wrong >= 0) throw refused(`digit ${wrong + 1} is not hexadecimal (0-9, A-F)`);
  if (digits.length === 0) throw refused("there is no message: give it as hexadecimal digits");
  if (digits.length % 2 === 1) throw refused("the number of digits is odd: two digits make a byte");
  return Buffer.from(digits, "hex");
}

/** Without the white space between them. */
async function digitsOf(file: string): Promise<string> {
  let digits = "";
  try {
    for await (const some of file === "-" ? process.stdin : createReadStream(file)) {
      digits += (some as Buffer).toString("latin1").replaceAll(/\s/g, "");
      if (digits.length > MOST_DIGITS) break;
    }
  } catch (fault) {
    throw refused(`cannot read the file ${file}: ${reasonOf(fault)}`);
  }
  if (digits.length > MOST_DIGITS) throw refused(`the input is too long: at most ${MOST_DIGITS} digits`);
  return digits;
}

const refused = (message: string): Refused => new Refused(message, { usage: true });

function inLines({ type, name, values, missing }: DescribedMessage): string {
  const rows = values.map(({ place, name, value }) => [place, name, value]);
  const lacks = missing.length === 0 ? "" : `\n\nMissing: ${missing.join(", ")}.`;
  return `${type} ${name}\n\n${table(["field", "name", "value"], rows, "It has no fields.")}${lacks}`;
}
