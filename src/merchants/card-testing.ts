// What the operator set for a merchant against card testing. A merchant without a row has the defaults.

import { isDeepStrictEqual } from "node:util";
import Type from "typebox";
import type { Sql } from "../journal/database.ts";
import { count, flag, rowReader, text, wholeNumber } from "../journal/rows.ts";
import { type CardTestingSettings, DEFAULT_CARD_TESTING } from "../payment/card-testing.ts";
import { amountOf, parseAmount, renderAmount } from "../payment/money.ts";
import { isUuid } from "../uuid.ts";
import { MUST_BE, noProblems, problemsOf } from "../validation/problems.ts";
import { audited } from "./audit.ts";
import {
  type Author,
  type Backoffice,
  type Done,
  done,
  type Invalid,
  invalid,
  type Unknown,
  unknown,
} from "./backoffice.ts";
import { findMerchant } from "./merchants.ts";

const AMOUNT = "an amount from 0.01 to 9999999, such as 10.00";

export const CardTesting = Type.Object({
  enabled: Type.Boolean({ description: "Whether charges are watched at all.", examples: [true] }),
  cards_per_range: Type.Integer({
    minimum: 10,
    maximum: 100,
    description:
      "At so many different cards of one range, from one address or by one token within the window, most of them declined, " +
      "charges are refused; at half as many they are slowed.",
    examples: [40],
  }),
  window_minutes: Type.Integer({
    minimum: 1,
    maximum: 60,
    description: "How far back is counted; for an address, six times as far.",
    examples: [10],
  }),
  small_amount: Type.String({
    pattern: "^0*[0-9]{1,7}(\\.[0-9]{1,2})?$",
    [MUST_BE]: AMOUNT,
    description:
      "Only charges up to this amount count, and are slowed or refused. In US dollars; in other currencies by the magnitude of their rate " +
      "(10.00 is 2000 yen, and 2 Kuwaiti dinars).",
    examples: ["10.00"],
  }),
  without_declines: Type.Boolean({
    description:
      "Whether many cards of one range are telling even if they are approved, as soon as they are half of all the merchant's " +
      "cards within the window. Off by default: a prepaid programme has one range for all its cards.",
    examples: [true],
  }),
});
export type CardTesting = Type.Static<typeof CardTesting>;

export const CardTestingChange = Type.Partial(CardTesting, { description: "What is named is changed." });

const settingsRow = rowReader("card_testing_settings", {
  enabled: flag,
  cards_per_range: count,
  window_minutes: count,
  small_amount: wholeNumber,
  without_declines: flag,
});

/** From a row of the table, or from one as JSON. */
export function settingsFrom(row: object): CardTestingSettings {
  const { enabled, cards_per_range, window_minutes, small_amount, without_declines } = settingsRow(row);
  return {
    enabled,
    cardsPerRange: cards_per_range,
    windowMinutes: window_minutes,
    smallAmount: amountOf(small_amount),
    withoutDeclines: without_declines,
  };
}

const show = (settings: CardTestingSettings): CardTesting => ({
  enabled: settings.enabled,
  cards_per_range: settings.cardsPerRange,
  window_minutes: settings.windowMinutes,
  small_amount: renderAmount(settings.smallAmount),
  without_declines: settings.withoutDeclines,
});

/** Undefined where there is no such merchant. */
export async function findCardTesting(
  { sql }: Pick<Backoffice, "sql">,
  merchantId: string,
): Promise<CardTesting | undefined> {
  if ((await findMerchant(sql, merchantId)) === undefined) return undefined;
  return show(await settingsIn(sql, merchantId));
}

async function settingsIn(sql: Pick<Sql, "unsafe">, merchantId: string): Promise<CardTestingSettings> {
  const [row] = await sql.unsafe("select * from card_testing_settings where merchant_id = $1", [merchantId]);
  return row ? settingsFrom(row) : DEFAULT_CARD_TESTING;
}

/** What is named is changed; shows on every node within a second. */
export async function changeCardTesting(
  office: Backoffice,
  author: Author,
  merchantId: string,
  input: unknown,
): Promise<Done<CardTesting> | Invalid | Unknown> {
  const problems = problemsOf(CardTestingChange, input);
  if (!noProblems(problems)) return invalid(problems);
  const given = input as Partial<CardTesting>;
  const amount = given.small_amount === undefined ? undefined : parseAmount(given.small_amount);
  if (amount?.ok === false) return invalid({ small_amount: [`must be ${AMOUNT}`] });
  if (!isUuid(merchantId)) return unknown("merchant", merchantId);
  return audited<Done<CardTesting> | Unknown>(office, author, async (sql) => {
    // One change after the other: the merchant's row is there, that of its settings may not be.
    const [merchant] = await sql`select id from merchants where id = ${merchantId} for update`;
    if (merchant === undefined) return { result: unknown("merchant", merchantId) };
    const id = text(merchant.id);
    const settings = await settingsIn(sql, id);
    const before = show(settings);
    const after = { ...before, ...given, small_amount: renderAmount(amount?.amount ?? settings.smallAmount) };
    if (isDeepStrictEqual(before, after)) return { result: done(before) };
    const row = { ...after, merchant_id: id, small_amount: String(amount?.amount ?? settings.smallAmount) };
    await sql`
      insert into card_testing_settings ${sql(row)}
      on conflict (merchant_id) do update set enabled = excluded.enabled, cards_per_range = excluded.cards_per_range,
        window_minutes = excluded.window_minutes, small_amount = excluded.small_amount,
        without_declines = excluded.without_declines`;
    const entry = { action: "card-testing.change", subject: ["merchant", id], before, after } as const;
    return { result: done(after), entry };
  });
}
