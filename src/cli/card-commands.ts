// faregate card …
import type { Command } from "commander";
import { cardInJson, type WrongInput, wrongBy } from "../card-input.ts";
import { deleteCard, type MayStore, storeCard } from "../gateway/cards-on-file.ts";
import { renderStored, representCard } from "../gateway/shown-card.ts";
import { storeToken } from "../gateway/token-on-file.ts";
import { CARDS_ON_A_PAGE, findStoredCard, listStoredCards } from "../journal/stored-cards.ts";
import { pageMeta } from "../page-meta.ts";
import { isUuid } from "../uuid.ts";
import { cardImportCommand } from "./card-import-command.ts";
import { group, leaf, type Output, ownId, pageNumber } from "./command.ts";
import { callerOf, refuseUnknownMerchant, withCards } from "./command-cards.ts";
import { contentOfCards } from "./import-file.ts";
import { withOffice } from "./office.ts";
import { details, print, progress, table } from "./print.ts";
import { Refused } from "./refused.ts";

interface Given extends Output {
  readonly merchant: string;
  readonly user: string;
  readonly page: number;
}

const MOST_BYTES = 64 * 1024;

export function cardCommands(faregate: Command): void {
  const records = group(faregate, "card", "Cards on file, which a merchant charges without their numbers.");

  ofMerchant(
    leaf(
      records,
      "list",
      `List a merchant's cards on file, newest first, ${CARDS_ON_A_PAGE} a page.`,
      "faregate card list --merchant 0193e5b0-…",
    ),
  )
    .option("--page <number>", "the page number", pageNumber, 1)
    .action(async ({ json, merchant, page }: Given) => {
      const { cards, total } = await withOffice(async ({ sql }) => {
        await refuseUnknownMerchant(sql, merchant);
        return listStoredCards(sql, merchant, page);
      });
      const list = { cards: cards.map(representCard), meta: pageMeta(total, CARDS_ON_A_PAGE, page) };
      print(json, list, () => table(HEADINGS, list.cards.map(row), "This merchant has no cards on file."));
      if (page < list.meta.last_page)
        progress(`${list.cards.length} of ${total} shown. Continue with --page ${page + 1}`);
    });

  ofMerchant(
    leaf(records, "show <id>", "Show a card on file.", "faregate card show 0193e5b9-… --merchant 0193e5b0-…"),
  ).action(async (id: string, { json, merchant }: Given) => {
    const stored = isUuid(id)
      ? await withOffice(({ sql }) => findStoredCard(sql, merchant, id.toLowerCase()))
      : undefined;
    if (stored === undefined) throw unknownCard(id);
    const card = representCard(stored);
    print(json, { card }, () => details("The card on file:", card));
  });

  ofMerchant(
    leaf(
      records,
      "delete <id>",
      "Delete a card on file, with its number, for good. Payments that were made with it stay as they are.",
      "faregate card delete 0193e5b9-… --merchant 0193e5b0-…",
    ),
  ).action(async (id: string, { json, merchant }: Given) => {
    const stored = await withOffice(async (office, author) => {
      const before = isUuid(id) ? await findStoredCard(office.sql, merchant, id.toLowerCase()) : undefined;
      if (before === undefined) throw unknownCard(id);
      const deleted = await deleteCard({ office }, { merchantId: merchant, author }, before.id);
      if (deleted !== "deleted") throw unknownCard(id);
      return before;
    });
    const card = representCard(stored);
    print(json, { card }, () => details("The card is deleted:", card));
  });

  ofUser(
    leaf(
      records,
      "store <file>",
      "Store a card from a JSON file with the fields of POST /api/cards: a number with its expiry, or a processor's token. " +
        "Use - for stdin. No card number can be an argument, which others could see.",
      "faregate card store - --merchant 0193e5b0-… --user 0193e5b1-… < card.json",
    ),
  ).action(async (file: string, { json, merchant, user }: Given) => {
    // A file that is not there is told before the database is looked for.
    const text = contentOfCards(file, MOST_BYTES);
    const asked = cardInJson(text);
    if ("kind" in asked) throw inOptions(asked);
    const result = await withCards(async (cards, author) => {
      const caller = await callerOf(cards.office, author, merchant, user);
      return "token" in asked
        ? storeToken(cards, caller, asked, null, renderStored, unseen)
        : storeCard(cards, caller, asked, null, renderStored, unseen);
    });
    if (result.kind === "refused") throw inOptions(wrongBy(result));
    const { card } = JSON.parse(result.response.body);
    print(json, { card }, () => details("The card is stored.", card));
  });

  cardImportCommand(records);
}

/** Whoever has the command line is no card tester, and verifies cards by the API. */
const unseen: MayStore = async () => undefined;

/** The merchant is part of a card's name. */
const ofMerchant = (command: Command): Command =>
  command.requiredOption("--merchant <id>", "the merchant whose card it is", ownId);

const ofUser = (command: Command): Command =>
  ofMerchant(command).requiredOption("--user <id>", "the merchant's user in whose name it is stored", ownId);

const unknownCard = (id: string): Refused =>
  new Refused(`this merchant has no card on file ${id}`, { code: "card-unknown" });

/** As the API refuses it, in one line. */
function inOptions({ code, messages, callersFault }: WrongInput): Refused {
  const text = Object.entries(messages).map(([field, [first]]) => (field === "base" ? first : `${field}: ${first}`));
  return new Refused(text.join("; "), { usage: callersFault, code, fields: messages });
}

const HEADINGS = ["id", "number", "brand", "expires", "kept by", "e-mail", "stored"];

const row = (card: ReturnType<typeof representCard>) => [
  card.id,
  card.card_number,
  card.card_brand,
  `${card.card_expiry_month}/${card.card_expiry_year}`,
  card.processor_id ?? "gateway",
  card.email,
  card.created_at,
];
