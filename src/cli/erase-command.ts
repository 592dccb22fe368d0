// faregate erase
import type { Command } from "commander";
import { type Erasing, erase, findPayer } from "../archive/erase.ts";
import { eraseCards, findCardsOfPayer } from "../archive/erase-cards.ts";
import { timestamp } from "../validation/fields.ts";
import { ofMerchant, withArchive } from "./archive-commands.ts";
import { leaf, type Output } from "./command.ts";
import { print, table } from "./print.ts";
import { Refused } from "./refused.ts";

interface Given extends Output {
  readonly merchant: string;
  readonly folder?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly keepMeta?: true;
  readonly apply?: boolean;
}

export function eraseCommand(faregate: Command): void {
  ofMerchant(
    leaf(
      faregate,
      "erase",
      "List a payer's transactions, including archived ones, and stored cards. With --apply, delete the cards, and erase names, e-mail, " +
        "phone, addresses, IP addresses, passengers' names and meta from the transactions; amounts, masks and the merchant's ids stay. " +
        "This cannot be undone.",
      "faregate erase --merchant 0193e5b0-… --email jane@example.com --apply",
    ),
  )
    .option("--email <address>", "the payer's e-mail address, in upper or lower case")
    .option("--phone <number>", "the payer's mobile phone, exactly as it was sent")
    .option("--first-name <name>", "the payer's first name, exactly; with --last-name")
    .option("--last-name <name>", "the payer's last name, exactly; with --first-name")
    .option("--keep-meta", "do not erase meta")
    .option("--apply", "erase the data; this cannot be undone")
    .action(async ({ json, apply = false, ...given }: Given) => {
      const payer = payerOf(given);
      const { found, stored, erased, erasedCards } = await withArchive(given, async (office, author, folder) => {
        const erasing: Erasing = { merchantId: given.merchant, payer, folder, keepMeta: given.keepMeta ?? false };
        const [found, stored] = [await findPayer(office, erasing), await findCardsOfPayer(office, erasing)];
        if (!apply) return { found, stored, erased: 0, erasedCards: 0 };
        // The cards first: a number that is left over is worse than a name.
        const erasedCards = await eraseCards(office, author, erasing);
        return { found, stored, erased: await erase(office, author, erasing), erasedCards };
      });
      const transactions = found.map(({ id, merchantTransactionId, createdAt, archived }) => ({
        ...{ id, merchant_transaction_id: merchantTransactionId, created_at: timestamp(createdAt), archived },
      }));
      const rows = transactions.map((one) => [one.id, one.created_at, one.merchant_transaction_id, one.archived]);
      const headings = ["id", "created at", "merchant's id", "archived"];
      const cards = stored.map(({ id, mask, createdAt }) => ({
        ...{ id, card_number: mask, created_at: timestamp(createdAt) },
      }));
      const cardRows = cards.map((card) => [card.id, card.created_at, card.card_number]);
      print(json, { applied: apply, erased, transactions, erased_cards: erasedCards, cards }, () =>
        [
          table(headings, rows, "No transaction of this payer was found."),
          ...(cards.length > 0 ? [table(["card", "stored at", "number"], cardRows, "")] : []),
          apply
            ? `${erased} transactions erased, ${erasedCards} stored cards deleted.`
            : "Nothing was erased. To erase, add --apply.",
        ].join("\n\n"),
      );
    });
}

function payerOf({ email, phone, firstName, lastName }: Given): Erasing["payer"] {
  if ((firstName === undefined) !== (lastName === undefined))
    throw new Refused("--first-name and --last-name belong together", { usage: true });
  const payer = {
    ...(email !== undefined && { email }),
    ...(phone !== undefined && { mobile_phone: phone }),
    ...(firstName !== undefined && lastName !== undefined && { first_name: firstName, last_name: lastName }),
  };
  // An unset variable of a script must not name everybody.
  if (Object.keys(payer).length === 0 || Object.values(payer).includes(""))
    throw new Refused("name the payer: --email, --phone, or --first-name and --last-name", { usage: true });
  return payer;
}
