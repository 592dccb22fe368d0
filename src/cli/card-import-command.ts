// faregate card import

import type { Command } from "commander";
import { CARDS_AT_ONCE, type CardOfFile, importCards, type PlannedCard, planCards } from "../gateway/import-cards.ts";
import { maskCard } from "../payment/card.ts";
import { cardsInCsv } from "./card-file.ts";
import { leaf, type Output, ownId } from "./command.ts";
import { callerOf, withCards } from "./command-cards.ts";
import { refusedFile } from "./import-command.ts";
import { contentOfCards } from "./import-file.ts";
import { print, progress, table } from "./print.ts";

interface Given extends Output {
  readonly merchant: string;
  readonly user: string;
  readonly apply?: boolean;
}

/** Some four hundred thousand cards. */
const MOST_BYTES = 64 * 1024 * 1024;

export function cardImportCommand(records: Command): void {
  leaf(
    records,
    "import <file>",
    "Check a CSV file of cards, and show which would be stored. Use - for stdin. With --apply, seal and store them. " +
      "Each has an id or an external_key, so that a file can be applied again: existing cards are left unchanged.",
    "faregate card import cards.csv --merchant 0193e5b0-… --user 0193e5b1-… --apply",
  )
    .requiredOption("--merchant <id>", "the merchant whose cards they are", ownId)
    .requiredOption("--user <id>", "the merchant's user in whose name they are stored", ownId)
    .option("--apply", "store the new cards")
    .addHelpText(
      "after",
      "\nExit codes: 0 success; 1 failure; 2 something in the file is wrong, and nothing was stored.",
    )
    .action(async (file: string, { json, merchant, user, apply = false }: Given) => {
      const read = cardsInCsv(contentOfCards(file, MOST_BYTES), merchant);
      if (read.problems.length > 0) throw refusedFile(file, read.problems, json, "stored");
      const planned = await withCards(async (cards, author) => {
        const caller = await callerOf(cards.office, author, merchant, user);
        const { planned, problems } = await planCards(cards, caller.merchantId, read.cards);
        if (problems.length > 0) throw refusedFile(file, problems, json, "stored");
        const fresh = planned.filter(({ there }) => !there).map(({ card }) => card);
        const tell = (done: number) =>
          fresh.length > CARDS_AT_ONCE && progress(`${done} of ${fresh.length} cards stored`);
        const since = apply ? await importCards(cards, caller, fresh, tell) : [];
        if (since.length > 0) throw refusedFile(file, since, json, "stored any more");
        return planned;
      });
      print(json, { applied: apply, cards: planned.map(shown(apply)) }, () => report(planned, apply));
    });
}

const shown =
  (apply: boolean) =>
  ({ card: { id, line, externalKey, number }, there, differs }: PlannedCard) => ({
    ...{ line, id, ...(externalKey !== undefined && { external_key: externalKey }), card_number: maskCard(number) },
    ...{ result: resultOf(there, apply), differs },
  });

const resultOf = (there: boolean, apply: boolean) => (there ? "exists" : apply ? "stored" : "new");

const nameOf = ({ externalKey }: CardOfFile) => externalKey ?? "-";

function report(planned: readonly PlannedCard[], apply: boolean): string {
  const rows = planned.map(({ card, there, differs }) => [
    ...[card.line, card.id, nameOf(card), maskCard(card.number), resultOf(there, apply), differs.join(", ")],
  ]);
  const there = planned.filter((one) => one.there).length;
  const counts = `${planned.length - there} new, ${there} existing and unchanged.`;
  return [
    table(["line", "id", "external key", "number", "result", "differs in"], rows, "The file has no cards."),
    apply ? `Stored: ${counts}` : `${counts} Nothing was stored. To store them, add --apply.`,
  ].join("\n\n");
}
