// faregate recovery adopt
import { type Command, Option } from "commander";
import type { Author, Backoffice } from "../merchants/backoffice.ts";
import { findProcessorRecord } from "../merchants/processor-lookup.ts";
import { ADOPTED_AS } from "../merchants/resolution.ts";
import { findUser } from "../merchants/users.ts";
import { CARD_BRANDS } from "../payment/card-brand.ts";
import type { ProcessorRecord } from "../payment/processor-record.ts";
import { EVENT_TYPES } from "../payment/transaction.ts";
import { PROCESSOR_KINDS } from "../processors/kinds.ts";
import { adopt, type InTheWay } from "../recovery/adopt.ts";
import { adoptEntered, onlyUser } from "../recovery/adopt-entered.ts";
import { adoptLost } from "../recovery/adopt-lost.ts";
import { newestTransaction, type Standing, standingOf } from "../recovery/begin.ts";
import type { Finding } from "../recovery/comparison.ts";
import { evidenceOf, type Plan, planOf } from "../recovery/plan.ts";
import { leaf, type Output, stated, timeOf, uuid } from "./command.ts";
import { withOffice } from "./office.ts";
import { jsonText, print, progress, table, write } from "./print.ts";
import { beginUnnoticed } from "./recovery-begin-command.ts";
import { comparedWith, type FromBooks, recordWithBookings, TO_DECIDE } from "./recovery-compare-command.ts";
import { headings, recoveryFindingAsJson, recoveryFindingAsRow } from "./recovery-finding.ts";
import { orRefuse, Refused } from "./refused.ts";

interface Given extends FromBooks {
  readonly outcome?: (typeof ADOPTED_AS)[number];
  readonly evidence?: string;
  readonly processorTransactionId?: string;
  readonly processor?: string;
  readonly fromBooks?: true | string[];
  readonly user?: string;
  readonly yes?: true;
  readonly type?: (typeof EVENT_TYPES)[number];
  readonly [field: string]: unknown;
}

export function adoptCommand(recovery: Command): void {
  leaf(
    recovery,
    "adopt [event]",
    "Bring the database up to date with what a processor has carried out. Give an open operation's outcome; or take over all that a " +
      "comparison found (--from-books); or enter a lost operation (--type).",
    "faregate recovery adopt --processor 0193e5b0-… --from-books books-14.csv books-15.csv --yes",
  )
    .addOption(new Option("--outcome <outcome>", "how an open operation ended").choices(ADOPTED_AS))
    .option("--evidence <words>", "where you saw that, for the audit log")
    .option("--processor-transaction-id <id>", "the processor's reference, as follow-ups name it")
    .option("--processor <id>", "the processor record", uuid)
    .option("--from-books [files...]", "take over what these books, or the processor itself, have")
    .option("--from <time>", "compare operations since then", timeOf)
    .option("--until <time>", "the files have all that was booked until then", timeOf)
    .option("--yes", "write it; without it, the plan is shown and nothing is written")
    .option(
      "--user <id>",
      "whose the lost charges are, if several users of the merchant have tokens that may charge",
      uuid,
    )
    .addOption(new Option("--type <type>", "enter a lost operation").choices(EVENT_TYPES))
    .option("--amount <amount>", "its amount, 12.34")
    .option("--currency <code>", "its currency; it must be the record's")
    .option("--reference <id>", "what the processor knows it by: RRN, pspReference, Stripe's id")
    .option("--at <time>", "when it was carried out")
    .option("--merchant-transaction-id <text>", "the merchant's own reference, of a sale or auth")
    .option("--card <mask>", "the card as 411111******1111")
    .addOption(new Option("--brand <brand>", "the card's brand").choices(CARD_BRANDS))
    .option("--expiry <MM/YYYY>", "the card's expiry")
    .option("--auth-code <code>", "the issuer's authorization code")
    .option("--stan <digits>", "under which it was sent (ISO 8583, field 11)")
    .option("--sent-at <time>", "when it was sent (ISO 8583, field 7), if that is not --at")
    .option("--transaction <id>", "the gateway's transaction; required for a capture, void or refund", uuid)
    .option("--event <id>", "the gateway's event, where the processor has it", uuid)
    .addHelpText(
      "after",
      "\nExit codes: 0 done; 3 something is left to decide, or --yes is missing; 2 wrong input; 1 failure.",
    )
    .action(async (event: string | undefined, given: Given) => {
      const ways = [event !== undefined, given.fromBooks !== undefined, given.type !== undefined];
      if (ways.filter((one) => one).length !== 1)
        throw new Refused("name an open operation, or --from-books, or --type", { usage: true });
      await withOffice(async (office, author) => {
        if (event !== undefined) return adoptOpen(office, author, event, given);
        if (given.processor === undefined) throw new Refused("--processor is required", { usage: true });
        return given.fromBooks === undefined
          ? adoptOne(office, author, given.processor, given)
          : adoptAll(office, author, given.processor, given);
      });
    });
}

async function adoptOpen(office: Backoffice, author: Author, event: string, given: Given): Promise<void> {
  const { json, outcome, evidence, processorTransactionId } = given;
  if (outcome === undefined) throw new Refused("--outcome is required: how the operation ended", { usage: true });
  if (evidence === undefined) throw new Refused("--evidence is required: where you saw that", { usage: true });
  const input = stated({ outcome, evidence, processor_transaction_id: processorTransactionId });
  const result = await inRecoveryMode(office, author, given, () => adopt(office, author, event, input));
  if (result.kind === "in-the-way") throw new Refused(result.why);
  orRefuse(result);
  print(json, { adopted: { event_id: event, outcome } }, () => "The outcome is on record.");
}

/** Where no gateway has noticed that the database is older than it was, recovery mode begins before anything is adopted. */
async function inRecoveryMode<T extends { readonly kind: string }>(
  office: Backoffice,
  author: Author,
  { from }: Given,
  work: () => Promise<T | InTheWay>,
): Promise<T | InTheWay> {
  const result = await work();
  if (!("notBegun" in result) || !isUnnoticed(await standingOf(office.sql))) return result;
  await beginUnnoticed(office, author, "they adopt what it lacks", from);
  return work();
}

const isUnnoticed = (standing: Standing): boolean => standing === "never" || standing === "other-lineage";

async function adoptOne(office: Backoffice, author: Author, processor: string, given: Given): Promise<void> {
  const record = await findProcessorRecord(office.sql, processor, office.secrets);
  if (record === undefined) throw new Refused(`there is no processor ${processor}`);
  if (given.evidence === undefined) throw new Refused("--evidence is required: where you saw that", { usage: true });
  const fields = Object.entries(given).map(([name, value]) => [
    name.replace(/[A-Z]/g, (one) => `_${one.toLowerCase()}`),
    value,
  ]);
  const { json: _, processor: __, user: ___, ...input } = Object.fromEntries(fields);
  const userId = await userOf(office, record, given, given.type === "sale" || given.type === "auth");
  const reader = PROCESSOR_KINDS.get(record.kind)?.bookings;
  const result = await inRecoveryMode(office, author, given, () =>
    adoptEntered(office, author, record, reader, stated(input), userId),
  );
  if (result.kind === "in-the-way") throw new Refused(result.why);
  if (result.kind === "invalid") return void orRefuse(result);
  const adopted = { transaction_id: result.transactionId, event_ids: result.eventIds };
  print(given.json, { adopted }, () =>
    result.eventIds.length === 0
      ? `It is here already, in transaction ${result.transactionId}.`
      : `It is on record, in transaction ${result.transactionId}.`,
  );
}

/** @param isNeeded an operation of a transaction that is here needs none */
async function userOf(
  office: Backoffice,
  { merchantId }: ProcessorRecord,
  { user }: Given,
  isNeeded: boolean,
): Promise<string> {
  if (user !== undefined) {
    if ((await findUser(office.sql, merchantId, user)) === undefined)
      throw new Refused(`--user: this merchant has no user ${user}`, { usage: true });
    return user;
  }
  const only = await onlyUser(office, merchantId);
  if (only === undefined && isNeeded)
    throw new Refused(
      "--user is required: several users of the merchant have tokens that may charge, and no books say whose a lost charge is",
      {
        usage: true,
      },
    );
  return only ?? "";
}

async function adoptAll(office: Backoffice, author: Author, processor: string, given: Given): Promise<void> {
  const { record, reader } = await recordWithBookings(office, processor);
  const files = given.fromBooks === true ? [] : (given.fromBooks ?? []);
  const unnoticed = isUnnoticed(await standingOf(office.sql));
  const lostSince = unnoticed ? (given.from ?? (await newestTransaction(office.sql))) : undefined;
  const { findings, totals } = await comparedWith(office, record, reader, files, given, lostSince);
  const hasCharges = findings.some(({ kind, there }) => kind === "lost" && there !== null && isCharge(there.operation));
  const userId = await userOf(office, record, given, hasCharges);
  const plan = planOf(findings, record.id, reader, userId);
  const adoptable = findings.filter(
    ({ kind }) => kind === "lost" || kind === "open-booked" || kind === "open-declined",
  );
  if (!given.yes || adoptable.length === 0) {
    await tellPlan(record, adoptable, plan.left, given);
    if (unnoticed && adoptable.length > 0)
      progress(
        "The gateways are not in recovery mode, and have noticed nothing: with --yes, recovery mode begins first.",
      );
    if (adoptable.length > 0 || plan.left.length > 0) process.exitCode = TO_DECIDE;
  } else {
    if (unnoticed) await beginUnnoticed(office, author, "they adopt what it lacks", given.from);
    const { written, refused } = await carryOut(office, author, record, plan);
    const sums = { operations: written, refused, left: plan.left.length };
    print(given.json, { adopted: sums }, () =>
      [
        `${written} operations are on record.`,
        ...refused.map(({ id, why }) => `${id}: ${why}.`),
        ...(plan.left.length > 0
          ? [`${plan.left.length} are left to decide: faregate recovery compare lists them.`]
          : []),
      ].join("\n"),
    );
    if (refused.length > 0 || plan.left.length > 0) process.exitCode = TO_DECIDE;
  }
  if (totals.broken > 0) process.exitCode = 2;
}

const isCharge = (operation: string): boolean => operation === "sale" || operation === "auth";

async function tellPlan(
  record: ProcessorRecord,
  adoptable: readonly Finding[],
  left: readonly Finding[],
  { json }: Output,
): Promise<void> {
  const asJson = (finding: Finding) => recoveryFindingAsJson(finding, record);
  if (json) return write(`${jsonText({ plan: { adopt: adoptable.map(asJson), left: left.map(asJson) } }, 2)}\n`);
  const rows = (some: readonly Finding[]) =>
    table(
      headings,
      some.map((one) => recoveryFindingAsRow(one, record)),
      "",
    );
  const parts = [
    adoptable.length === 0 ? "There is nothing to adopt." : `To be adopted:\n\n${rows(adoptable)}`,
    ...(left.length === 0 ? [] : [`Left to decide:\n\n${rows(left)}`]),
    ...(adoptable.length === 0 ? [] : ["Nothing is written yet: repeat the command with --yes."]),
  ];
  await write(`${parts.join("\n\n")}\n`);
}

const PROGRESS_EVERY_MS = 2_000;

async function carryOut(office: Backoffice, author: Author, record: ProcessorRecord, { open, lost }: Plan) {
  let written = 0;
  let told = Date.now();
  const refused: { readonly id: string; readonly why: string }[] = [];
  const sayProgress = () => {
    if (Date.now() - told < PROGRESS_EVERY_MS) return;
    told = Date.now();
    progress(`${written} operations are on record`);
  };
  for (const { here, there } of open) {
    const outcome = there.approved ? "approved" : "declined";
    const { processorTransactionId, at, code, authCode } = there;
    const input = stated({
      ...{ outcome, evidence: evidenceOf(there) },
      ...(processorTransactionId !== null && { processor_transaction_id: processorTransactionId }),
    });
    const result = await adopt(office, author, here.eventId, input, { at, code, authCode });
    if (result.kind === "done") written++;
    else refused.push({ id: here.eventId, why: result.kind === "in-the-way" ? result.why : jsonText(result.problems) });
    sayProgress();
  }
  for (const transaction of lost) {
    const result = await adoptLost(office, author, record, transaction);
    if (result.kind === "in-the-way") refused.push({ id: transaction.id, why: result.why });
    else {
      written += result.eventIds.length;
      if (result.rest !== undefined) refused.push({ id: transaction.id, why: result.rest });
    }
    sayProgress();
  }
  return { written, refused };
}
