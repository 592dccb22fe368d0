// faregate card-testing …
import type { Command } from "commander";
import { changeCardTesting, findCardTesting } from "../merchants/card-testing.ts";
import { listReports } from "../merchants/card-testing-reports.ts";
import { group, leaf, type Output, stated, uuid } from "./command.ts";
import { withOffice } from "./office.ts";
import { details, print, table } from "./print.ts";
import { orRefuse, Refused } from "./refused.ts";

interface Given extends Output {
  readonly enabled?: boolean;
  readonly cardsPerRange?: string;
  readonly windowMinutes?: string;
  readonly smallAmount?: string;
  readonly withoutDeclines?: boolean;
}

export function cardTestingCommands(faregate: Command): void {
  const records = group(
    faregate,
    "card-testing",
    "What looked like card testing, and each merchant's settings against it.",
  );

  leaf(records, "list", "List what looked like card testing, newest first.", "faregate card-testing list")
    .option("--merchant <id>", "only this merchant's charges", uuid)
    .action(async ({ json, merchant }: Output & { readonly merchant?: string }) => {
      const reports = await withOffice(({ sql }) => listReports(sql, merchant === undefined ? {} : { merchant }));
      const rows = reports.map((one) => [
        one.newest_at,
        one.merchant_id,
        one.signal,
        one.shown,
        one.cards,
        one.declined,
        one.slowed,
        one.refused,
      ]);
      const headings = ["last seen", "merchant", "signal", "value", "cards", "declined", "delayed", "refused"];
      print(json, { card_testing: reports }, () => table(headings, rows, "Nothing looked like card testing."));
    });

  leaf(records, "show <merchant>", "Show a merchant's settings.", "faregate card-testing show 0193e5b0-…").action(
    async (merchant: string, { json }: Output) => {
      const settings = await withOffice((office) => findCardTesting(office, merchant));
      if (settings === undefined) throw new Refused(`there is no merchant ${merchant}`, { code: "not-found" });
      print(json, { card_testing: settings }, () => details("The merchant's settings against card testing:", settings));
    },
  );

  leaf(
    records,
    "change <merchant>",
    "Change a merchant's given settings.",
    "faregate card-testing change 0193e5b0-… --cards-per-range 20 --small-amount 5.00",
  )
    .option("--enabled", "watch the merchant's charges for card testing")
    .option("--no-enabled", "do not watch them")
    .option(
      "--cards-per-range <number>",
      "10 to 100: from how many different cards of one range on charges are refused",
    )
    .option("--window-minutes <number>", "1 to 60: how far back cards are counted")
    .option("--small-amount <amount>", "only charges up to this amount count, such as 10.00")
    .option("--without-declines", "count cards of one range even if they are approved")
    .option("--no-without-declines", "count them only if most are declined")
    .action(async (merchant: string, { json, ...given }: Given) => {
      const input = stated({
        enabled: given.enabled,
        cards_per_range: wholeNumber(given.cardsPerRange),
        window_minutes: wholeNumber(given.windowMinutes),
        small_amount: given.smallAmount,
        without_declines: given.withoutDeclines,
      });
      const settings = await withOffice(async (office, author) =>
        orRefuse(await changeCardTesting(office, author, merchant, input)),
      );
      print(json, { card_testing: settings }, () =>
        details("The merchant's settings against card testing are now:", settings),
      );
    });
}

/** What is no number is left as it is: where records are changed it is named. */
const wholeNumber = (text: string | undefined) => (text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : text);
