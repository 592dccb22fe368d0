// faregate archive …
import { join } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { archive } from "../archive/archive.ts";
import { BrokenArchive } from "../archive/file.ts";
import { findArchived, SOUGHT_FIELDS, type Sought } from "../archive/find.ts";
import { planPortion } from "../archive/plan.ts";
import { alone, archivedThrough } from "../archive/portions.ts";
import { portionsFrom, restore } from "../archive/restore.ts";
import type { Author, Backoffice } from "../merchants/backoffice.ts";
import { findMerchant } from "../merchants/merchants.ts";
import { beginningOf } from "../validation/instants.ts";
import { leaf, type Output, uuid } from "./command.ts";
import { withOffice } from "./office.ts";
import { print, progress, table } from "./print.ts";
import { Refused } from "./refused.ts";

/** Disputes come up to 120 days after a payment, a few later; they take weeks. */
const KEPT_DAYS = 180;
const DAY_MS = 86_400_000;

const FOLDER = "where the archive is; by default archive/ in the data folder";

interface Given extends Output {
  readonly merchant?: string;
  readonly folder?: string;
}
interface Moving extends Given {
  readonly before?: Date;
  readonly apply?: boolean;
}
interface Restoring extends Given {
  readonly from: Date;
  readonly apply?: boolean;
}

export function archiveCommands(faregate: Command): void {
  const records = leaf(
    faregate,
    "archive",
    "Show how many of a merchant's transactions would be archived. With --apply, move them from the database into files.",
    "faregate archive --merchant 0193e5b0-… --before 2030-01-01 --apply",
  )
    // Parsed here for its own commands too, so that none can be required by commander.
    .option("--merchant <id>", "whose transactions (required)", uuid)
    .option(
      "--before <day>",
      `only what was complete before this day, UTC; at least ${KEPT_DAYS} days ago (required)`,
      instant,
    )
    .option("--folder <path>", FOLDER)
    .option("--apply", "archive them")
    .helpCommand(false)
    .action(moveOut);

  const finding = ofArchive(
    leaf(
      records,
      "find",
      "Find transactions in the archive. All options must match. With --json, show all their rows.",
      "faregate archive find --merchant 0193e5b0-… --email jane@example.com",
    ),
  );
  for (const field of SOUGHT_FIELDS) finding.option(`--${field.replaceAll("_", "-")} <text>`, "the exact value");
  finding.action((_: object, command: Command) => find(command.optsWithGlobals()));

  ofArchive(
    leaf(
      records,
      "restore",
      "Show how many transactions would be restored. With --apply, restore all that were created from a day on.",
      "faregate archive restore --merchant 0193e5b0-… --from 2029-06-01 --apply",
    ),
  )
    .requiredOption("--from <day>", "the first day to restore, UTC", instant)
    .option("--apply", "restore them")
    .action((_: object, command: Command) => bringBack(command.optsWithGlobals()));
}

const ofArchive = (command: Command): Command =>
  command.option("--merchant <id>", "whose transactions (required)", uuid).option("--folder <path>", FOLDER);

function required<T>(value: T | undefined, option: string): T {
  if (value === undefined) throw new Refused(`${option} is required`, { usage: true });
  return value;
}

/** The options of whatever works on a merchant's archive. */
export const ofMerchant = (command: Command): Command =>
  command.requiredOption("--merchant <id>", "whose transactions", uuid).option("--folder <path>", FOLDER);

/** With the merchant's archive for itself. */
export async function withArchive<T>(
  { merchant, folder }: { readonly merchant: string; readonly folder?: string | undefined },
  work: (office: Backoffice, author: Author, folder: string) => Promise<T>,
): Promise<T> {
  try {
    return await withOffice(async (office, author, settings) => {
      if ((await findMerchant(office.sql, merchant)) === undefined)
        throw new Refused(`there is no merchant ${merchant}`, { code: "not-found" });
      const [row] = await office.sql<[{ may: boolean }]>`select has_table_privilege('transactions', 'delete') as may`;
      if (!row.may) throw new Refused("only the owner of the tables may do this: name that user in DATABASE_URL");
      const place = folder ?? join(settings.dataFolder, "archive");
      const result = await alone(office.sql, () => work(office, author, place));
      if (result === "busy") throw new Refused("another archiving, restoring or erasing is running");
      return result;
    });
  } catch (fault) {
    throw fault instanceof BrokenArchive ? new Refused(fault.message) : fault;
  }
}

async function moveOut({ json, apply = false, folder, ...given }: Moving): Promise<void> {
  const merchantId = required(given.merchant, "--merchant");
  const before = required(given.before, "--before");
  const done = await withArchive({ merchant: merchantId, folder }, async (office, author, folder) => {
    const latest = new Date(office.clock.now().getTime() - KEPT_DAYS * DAY_MS);
    if (before > latest)
      throw new Refused(
        `--before must be ${KEPT_DAYS} days ago or earlier (${latest.toISOString().slice(0, 10)}): disputes come late`,
        { usage: true },
      );
    if (!apply) return planned(office, merchantId, before);
    const reached = (step: string, { first, last }: { first: number; last: number }) =>
      step === "removed" ? progress(`Numbers ${first} to ${last} are archived …`) : undefined;
    return archive(office, author, { merchantId, before, folder, reached });
  });
  const { transactions, stays } = done;
  const stop = stays && { id: stays.id, created_at: stays.createdAt.toISOString(), why: stays.why };
  print(json, { applied: apply, transactions, stays: stop }, () =>
    [
      apply
        ? `${transactions} transactions archived.`
        : `${transactions} transactions would be archived. To archive them, add --apply.`,
      ...(stop ? [`Transaction ${stop.id} of ${stop.created_at} and all later ones stay: ${stop.why}.`] : []),
    ].join("\n"),
  );
}

async function planned({ sql }: Backoffice, merchantId: string, before: Date) {
  let [transactions, after] = [0, await archivedThrough(sql, merchantId)];
  for (;;) {
    const { leaving, stays } = await planPortion(sql, merchantId, before, after);
    transactions += leaving.length;
    after = leaving.at(-1)?.number ?? after;
    if (leaving.length === 0 || stays !== null) return { transactions, stays };
  }
}

const MOST_SHOWN = 1_000;

async function find({ json, folder, ...given }: Given): Promise<void> {
  const merchantId = required(given.merchant, "--merchant");
  const options = given as Readonly<Record<string, unknown>>;
  const sought: Sought = Object.fromEntries(
    SOUGHT_FIELDS.flatMap((field) => {
      const value = options[field.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())];
      return typeof value === "string" ? [[field, value]] : [];
    }),
  );
  if (Object.keys(sought).length === 0)
    throw new Refused("name something to search for: --id, --email or another option", { usage: true });
  const lines = await withArchive({ merchant: merchantId, folder }, async ({ sql }, _, folder) => {
    const found = [];
    for await (const one of findArchived(sql, folder, merchantId, sought)) {
      found.push(...one.lines);
      if (found.length >= MOST_SHOWN) break;
    }
    return found.slice(0, MOST_SHOWN);
  });
  if (lines.length === MOST_SHOWN) progress(`The first ${MOST_SHOWN} are shown.`);
  const shown = lines.map(({ record, ...line }) => ({ ...line, record: JSON.parse(record) as object }));
  const rows = lines.map((one) => [
    one.id,
    one.created_at,
    one.merchant_transaction_id,
    one.amount,
    one.currency,
    one.card_mask,
  ]);
  const headings = ["id", "created at", "merchant's id", "amount", "currency", "card"];
  print(json, { transactions: shown }, () => table(headings, rows, "No archived transaction matches."));
}

async function bringBack({ json, apply = false, from, folder, ...given }: Restoring): Promise<void> {
  const merchantId = required(given.merchant, "--merchant");
  const transactions = await withArchive({ merchant: merchantId, folder }, async (office, author, folder) => {
    const portions = await portionsFrom(office, { merchantId, from });
    if (!apply) return portions.reduce((sum, { first, last }) => sum + last - first + 1, 0);
    const reached = ({ first, last }: { first: number; last: number }) =>
      progress(`Numbers ${first} to ${last} are restored …`);
    return restore(office, author, { merchantId, from, folder, reached });
  });
  print(json, { applied: apply, transactions }, () =>
    apply
      ? `${transactions} transactions restored.`
      : `${transactions} transactions would be restored. To restore them, add --apply.`,
  );
}

function instant(text: string): Date {
  const found = beginningOf(text);
  if (found === undefined) throw new InvalidArgumentError("It must be a day, like 2030-05-01.");
  return found;
}
