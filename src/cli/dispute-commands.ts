// faregate dispute …
import { type Command, Option } from "commander";
import { changeDispute, createDispute } from "../merchants/disputes/by-hand.ts";
import { DISPUTE_STATUSES, type Dispute, type DisputeStatus } from "../merchants/disputes/dispute-schema.ts";
import { DISPUTES_ON_A_PAGE, findDispute, listDisputes } from "../merchants/disputes/list.ts";
import {
  DISPUTE_OUTCOMES,
  DISPUTE_STAGES,
  type DisputeOutcome,
  type DisputeStage,
  OPEN_STATES,
} from "../payment/dispute.ts";
import { group, leaf, type Output, pageNumber, stated, uuid } from "./command.ts";
import { withOffice } from "./office.ts";
import { details, print, progress, table } from "./print.ts";
import { orRefuse, Refused } from "./refused.ts";

interface Listed extends Output {
  readonly merchant?: string;
  readonly transaction?: string;
  readonly stage?: DisputeStage;
  readonly status?: DisputeStatus;
  readonly outcome?: DisputeOutcome;
  readonly page: number;
}

interface Given extends Output {
  readonly amount?: string;
  readonly currency?: string;
  readonly amountWithdrawn?: string;
  readonly fee?: string;
  readonly feeCurrency?: string;
  readonly stage?: string;
  readonly status?: string;
  readonly outcome?: string;
  readonly reason?: string;
  readonly reasonCode?: string;
  readonly respondBy?: string;
}

interface Created extends Given {
  readonly merchant: string;
  readonly transaction: string;
  readonly processorDisputeId?: string;
}

export function disputeCommands(faregate: Command): void {
  const records = group(faregate, "dispute", "Disputes: chargebacks and what comes before and after them.");

  leaf(
    records,
    "list",
    `List disputes, newest first, ${DISPUTES_ON_A_PAGE} a page.`,
    "faregate dispute list --status needs_response",
  )
    .option("--merchant <id>", "only this merchant's", uuid)
    .option("--transaction <id>", "only this transaction's", uuid)
    .addOption(new Option("--stage <stage>", "only those at this stage").choices(DISPUTE_STAGES))
    .addOption(new Option("--status <status>", "only those with this status").choices(DISPUTE_STATUSES))
    .addOption(new Option("--outcome <outcome>", "only those with this outcome").choices(DISPUTE_OUTCOMES))
    .option("--page <number>", "the page number", pageNumber, 1)
    .action(async ({ json, merchant, transaction, stage, status, outcome, page }: Listed) => {
      const filter = { merchantId: merchant, transactionId: transaction, stage, status, outcome };
      const list = await withOffice(({ sql }) => listDisputes(sql, filter, page));
      print(json, list, () => table(HEADINGS, list.disputes.map(row), "There are no disputes."));
      if (page < list.meta.last_page)
        progress(`${list.disputes.length} of ${list.meta.total} shown. Continue with --page ${page + 1}`);
    });

  leaf(records, "show <id>", "Show a dispute.", "faregate dispute show 0193e5b9-…").action(
    async (id: string, { json }: Output) => {
      const dispute = await withOffice(async ({ sql }) => findDispute(sql, id));
      if (dispute === undefined) throw new Refused(`there is no dispute ${id}`, { code: "not-found" });
      print(json, { dispute }, () => details("The dispute:", dispute));
    },
  );

  fields(
    leaf(
      records,
      "create",
      "Enter a dispute that the processor does not report by itself.",
      "faregate dispute create --merchant 0193e5b0-… --transaction 0193e5b9-… --amount 120.00 --reason-code 13.1",
    )
      .requiredOption("--merchant <id>", "the merchant of the transaction")
      .requiredOption("--transaction <id>", "the disputed transaction")
      .option("--processor-dispute-id <name>", "the processor's reference for the dispute"),
  ).action(async ({ merchant, transaction, processorDisputeId, ...given }: Created) => {
    const input = inputOf(given, { transaction_id: transaction, processor_dispute_id: processorDisputeId });
    const dispute = await withOffice(async (office, author) =>
      orRefuse(await createDispute(office, author, merchant, input)),
    );
    print(given.json, { dispute }, () => details("The dispute was entered.", dispute));
  });

  fields(
    leaf(
      records,
      "change <id>",
      "Change the given fields of a dispute.",
      "faregate dispute change 0193e5b9-… --outcome won --amount-withdrawn 0.00",
    ),
  ).action(async (id: string, given: Given) => {
    const dispute = await withOffice(async (office, author) =>
      orRefuse(await changeDispute(office, author, id, inputOf(given))),
    );
    print(given.json, { dispute }, () => details("The dispute is now:", dispute));
  });
}

const fields = (command: Command): Command =>
  command
    .option("--amount <amount>", "the disputed amount")
    .option("--currency <code>", "its currency; by default the transaction's")
    .option("--amount-withdrawn <amount>", "what the processor has withdrawn; 0.00 when it has returned the money")
    .option("--fee <amount>", "what the processor charged for it in all; 0.00 when it has given it back")
    .option("--fee-currency <code>", "the fee's currency; by default as it was, at first that of the dispute")
    .addOption(new Option("--stage <stage>", "how far it has gone").choices(DISPUTE_STAGES))
    .addOption(
      new Option("--status <status>", "whether a response is needed, or the bank decides").choices(OPEN_STATES),
    )
    .addOption(new Option("--outcome <outcome>", "how it ended").choices(DISPUTE_OUTCOMES))
    .option("--reason <words>", "the reason in words; by default what the reason code means")
    .option("--reason-code <code>", "the card network's code")
    .option("--respond-by <time>", "when evidence is due, such as 2031-05-31T23:59:59Z");

const inputOf = (
  { amountWithdrawn, feeCurrency, reasonCode, respondBy, ...given }: Given,
  more: object = {},
): unknown =>
  stated({
    ...{ amount: given.amount, currency: given.currency, amount_withdrawn: amountWithdrawn, fee: given.fee },
    ...{ fee_currency: feeCurrency, stage: given.stage, status: given.status, outcome: given.outcome },
    ...{ reason: given.reason, reason_code: reasonCode, respond_by: respondBy, ...more },
  });

const HEADINGS = [
  "id",
  "opened",
  "stage",
  "status",
  "outcome",
  "amount",
  "withdrawn",
  "fee",
  "respond by",
  "order",
  "reason",
];

const row = (one: Dispute) => [
  one.id,
  one.opened_at,
  one.stage,
  one.status,
  one.outcome,
  `${one.amount} ${one.currency}`,
  one.amount_withdrawn,
  one.fee === null ? null : `${one.fee} ${one.fee_currency}`,
  one.respond_by,
  one.merchant_transaction_id,
  one.reason,
];
