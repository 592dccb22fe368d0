// Merchants. They are never removed, since their transactions stay.
import { isDeepStrictEqual } from "node:util";
import Type from "typebox";
import { arrayOf } from "../journal/columns.ts";
import type { Sql } from "../journal/database.ts";
import { flag, instant, orNull, rowReader, text, texts, word } from "../journal/rows.ts";
import { countStoredNumbers } from "../journal/stored-cards.ts";
import { isUuid } from "../uuid.ts";
import { Name, Timestamp, timestamp, Uuid } from "../validation/fields.ts";
import { noProblems, problemsOf } from "../validation/problems.ts";
import { audited } from "./audit.ts";
import {
  type Author,
  type Backoffice,
  type Conflict,
  type Done,
  done,
  type Existed,
  type Invalid,
  invalid,
  limitOf,
  type Page,
  startOf,
  type Unknown,
  unknown,
} from "./backoffice.ts";
import { createdBefore, GIVEN_ID, idFor, problemsOfGivenId } from "./given-id.ts";
import { ReturnHosts } from "./returns.ts";

const RefuseCardLikeIdentifiers = Type.Boolean({
  description:
    "Whether merchant_transaction_id, ticket_number and Idempotency-Key are refused with any number that looks like a card's, " +
    "as other texts are; then no field of meta is excepted for its name either. Without it identifiers are refused only with " +
    "the number of the card in the same request.",
  examples: [false],
});

const RequireIpAddress = Type.Boolean({
  description:
    "Whether a sale must send the customer's ip_address. Without it a sale may come without one, as some published shop plugins " +
    "send it; nothing is put in its place.",
  examples: [true],
});

/** Whether a merchant's requests may carry card numbers. */
const CARD_NUMBERS = ["allowed", "forbidden"] as const;
type CardNumbers = (typeof CARD_NUMBERS)[number];

const CardNumbersField = Type.Enum([...CARD_NUMBERS], {
  description:
    "`forbidden`: every request of the merchant with a card number or a CVV, in whatever field, is refused before anything of it is stored, " +
    "and only cards that their processor keeps are charged. It cannot be set while numbers of cards on file are stored here.",
  examples: ["allowed"],
});

const VerifyCards = Type.Boolean({
  description:
    "Whether a card is verified before `POST /api/cards` stores it: its issuer is asked, without money, and a card that it declines is not stored.",
  examples: [false],
});

const MerchantFields = {
  name: Name,
  refuse_card_like_identifiers: Type.Optional(RefuseCardLikeIdentifiers),
  require_ip_address: Type.Optional(RequireIpAddress),
  card_numbers: Type.Optional(CardNumbersField),
  return_hosts: Type.Optional(ReturnHosts),
  verify_cards: Type.Optional(VerifyCards),
};

export const NewMerchant = Type.Object(
  { ...GIVEN_ID, ...MerchantFields },
  { description: "What a merchant is created from." },
);
export type NewMerchant = Type.Static<typeof NewMerchant>;

export const MerchantChange = Type.Partial(Type.Object(MerchantFields), {
  minProperties: 1,
  description: "What is named is changed.",
});

export const Merchant = Type.Object({
  id: Uuid,
  name: Name,
  refuse_card_like_identifiers: RefuseCardLikeIdentifiers,
  require_ip_address: RequireIpAddress,
  card_numbers: CardNumbersField,
  return_hosts: ReturnHosts,
  verify_cards: VerifyCards,
  created_at: Timestamp,
});
export type Merchant = Type.Static<typeof Merchant>;

/** With an entry in the audit log. */
export async function createMerchant(
  office: Backoffice,
  author: Author,
  input: unknown,
): Promise<Done<Merchant> | Existed<Merchant> | Conflict | Invalid> {
  const problems = problemsOfGivenId(problemsOf(NewMerchant, input), input);
  if (!noProblems(problems)) return invalid(problems);
  const { name, refuse_card_like_identifiers = false, require_ip_address = true, ...others } = input as NewMerchant;
  const { card_numbers = "allowed", return_hosts = [], verify_cards = false, ...given } = others;
  const createdAt = office.clock.now();
  const id = idFor("merchant", null, given, createdAt);
  const chosen = { name, refuse_card_like_identifiers, require_ip_address, card_numbers, return_hosts, verify_cards };
  const merchant = show({ id, ...chosen, created_at: createdAt });
  return audited<Done<Merchant> | Existed<Merchant> | Conflict>(office, author, async (sql) => {
    const inserted = await sql`
      insert into merchants
        (id, name, refuse_card_like_identifiers, require_ip_address, card_numbers, return_hosts, verify_cards, created_at)
      values (${merchant.id}, ${name}, ${refuse_card_like_identifiers}, ${require_ip_address}, ${card_numbers},
        ${arrayOf(sql, "text", return_hosts)}, ${verify_cards}, ${createdAt})
      on conflict do nothing`;
    if (inserted.count === 0) {
      const [row] = await sql`select * from merchants where id = ${id}`;
      return { result: createdBefore("merchant", show(merchantRow(row ?? {})), { id, ...chosen }) };
    }
    // What numbers the merchant's transactions must be there before the first of them.
    await sql`
      insert into merchant_counters (merchant_id, transactions, newest_at) values (${merchant.id}, 0, ${createdAt})`;
    return {
      result: done(merchant),
      entry: { action: "merchant.create", subject: ["merchant", merchant.id], after: merchant },
    };
  });
}

/** What is named is changed. What it was stays in the audit log. */
export async function changeMerchant(
  office: Backoffice,
  author: Author,
  id: string,
  input: unknown,
): Promise<Done<Merchant> | Invalid | Unknown> {
  const given = input as Partial<NewMerchant>;
  // To name nothing is no change: the name is missing then.
  const { name: _, ...others } = given;
  const problems = problemsOf(
    Object.values(others).every((value) => value === undefined) ? NewMerchant : MerchantChange,
    input,
  );
  if (!noProblems(problems)) return invalid(problems);
  if (!isUuid(id)) return unknown("merchant", id);
  return audited<Done<Merchant> | Unknown | Invalid>(office, author, async (sql) => {
    const [row] = await sql`select * from merchants where id = ${id} for update`;
    if (row === undefined) return { result: unknown("merchant", id) };
    const before = show(merchantRow(row));
    const { name, refuse_card_like_identifiers, require_ip_address, card_numbers, return_hosts, verify_cards } = {
      ...before,
      ...given,
    };
    const chosen = { name, refuse_card_like_identifiers, require_ip_address, card_numbers, return_hosts, verify_cards };
    const after = { ...before, ...chosen };
    if (isDeepStrictEqual(before, after)) return { result: done(before) };
    if (card_numbers === "forbidden" && before.card_numbers !== "forbidden") {
      const numbers = await countStoredNumbers(sql, before.id);
      if (numbers > 0) return { result: invalid({ card_numbers: [stillStored(numbers)] }) };
    }
    await sql`
      update merchants set name = ${name}, refuse_card_like_identifiers = ${refuse_card_like_identifiers},
        require_ip_address = ${require_ip_address}, card_numbers = ${card_numbers},
        return_hosts = ${arrayOf(sql, "text", return_hosts)}, verify_cards = ${verify_cards}
      where id = ${id}`;
    return {
      result: done(after),
      entry: { action: "merchant.change", subject: ["merchant", before.id], before, after },
    };
  });
}

/** Whoever forbids card numbers believes that none is here. */
const stillStored = (numbers: number): string =>
  `cannot be forbidden while the numbers of ${numbers} cards on file are stored here: delete those cards first ` +
  "(GET /api/cards shows them with processor_id null)";

/** A page of them, oldest first. */
export async function listMerchants(sql: Sql, page: Page = {}): Promise<Merchant[]> {
  const rows = await sql`
    select * from merchants where id > ${startOf(page)} order by id limit ${limitOf(page)}`;
  return rows.map((row) => show(merchantRow(row)));
}

/** As it is shown; undefined where there is none. */
export async function findMerchant(sql: Sql, id: string): Promise<Merchant | undefined> {
  if (!isUuid(id)) return undefined;
  const [row] = await sql`select * from merchants where id = ${id}`;
  return row && show(merchantRow(row));
}

interface MerchantRow {
  readonly id: string;
  readonly name: string;
  readonly refuse_card_like_identifiers: boolean;
  readonly require_ip_address: boolean;
  readonly card_numbers: CardNumbers;
  readonly return_hosts: string[] | null;
  readonly verify_cards: boolean;
  readonly created_at: Date;
}

const merchantRow = rowReader<MerchantRow>("merchants", {
  id: text,
  name: text,
  refuse_card_like_identifiers: flag,
  require_ip_address: flag,
  card_numbers: word(CARD_NUMBERS),
  return_hosts: orNull(texts),
  verify_cards: flag,
  created_at: instant,
});

const show = ({ created_at, ...row }: MerchantRow): Merchant => ({
  id: row.id,
  name: row.name,
  refuse_card_like_identifiers: row.refuse_card_like_identifiers,
  require_ip_address: row.require_ip_address,
  card_numbers: row.card_numbers,
  return_hosts: row.return_hosts ?? [],
  verify_cards: row.verify_cards,
  created_at: timestamp(created_at),
});
