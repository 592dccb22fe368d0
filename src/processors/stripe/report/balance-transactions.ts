// Stripe's balance transactions: those of a day or of a payout, asked for page by page, or a list of them as JSON in a file.
// https://docs.stripe.com/api/balance_transactions/list

import { setTimeout as pause } from "node:timers/promises";
import { Type } from "typebox";
import { Check } from "typebox/value";
import type { ProcessorRecord } from "../../../payment/processor-record.ts";
import { LONGEST_PAGE } from "../../https/https-link.ts";
import { type Asked, NoReport, type ReportLines, type SettlementReportReader } from "../../settlement-report.ts";
import { StripeApi } from "../api.ts";
import { leftOfStripePayout } from "../currency.ts";
import { type StripeSettings, withDefaults } from "../settings.ts";
import { balanceLine } from "./balance-line.ts";

const LIST = Type.Object({
  object: Type.Literal("list"),
  data: Type.Array(Type.Unknown()),
  has_more: Type.Boolean(),
});

export const balanceTransactions: SettlementReportReader = {
  // They name the charge, whichever capture of it they are.
  namesCaptures: false,
  balances: (from) => from !== "file" && "payout" in from,
  leftOf: leftOfStripePayout,
  async *read(file) {
    const { data, has_more } = listIn(await textOf(file));
    if (data.length === 0) throw new NoReport("its list is empty");
    if (has_more) throw new NoReport("the list goes on (has_more): it needs all pages in one list");
    yield data.map((one, index) => balanceLine(one, index + 1, null));
  },
  ask: (record, asked, signal) => pages(record, asked, signal),
};

const MOST_CHARACTERS = 256 * 1024 * 1024;

async function textOf(file: AsyncIterable<string>): Promise<string> {
  const pieces: string[] = [];
  let length = 0;
  for await (const piece of file) {
    length += piece.length;
    if (length > MOST_CHARACTERS) throw new NoReport(`it has more than ${MOST_CHARACTERS} characters`);
    pieces.push(piece);
  }
  if (length === 0) throw new NoReport("it is empty");
  return pieces.join("");
}

function listIn(text: string) {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw new NoReport("it is not JSON, or was cut off");
  }
  if (!Check(LIST, parsed)) throw new NoReport("it is no list of Stripe's");
  return parsed;
}

const PAGE = 100;
const DAY_S = 86_400;

async function* pages(record: ProcessorRecord, asked: Asked, signal: AbortSignal): ReportLines {
  const { base_url, secret_key } = withDefaults(record.settings as StripeSettings);
  const api = new StripeApi(new URL(base_url), secret_key, 1, LONGEST_PAGE);
  const batch = "payout" in asked ? asked.payout : null;
  try {
    let line = 0;
    for (let after: string | undefined; ; ) {
      const query = {
        limit: PAGE,
        starting_after: after,
        expand: ["data.source", "data.source.charge"],
        ...filterOf(asked),
      };
      const { data, has_more } = await pageOf(api, query, signal);
      yield data.map((one) => balanceLine(one, ++line, batch));
      if (line === 0 && batch !== null) throw new NoReport("Stripe has nothing of this payout");
      if (!has_more) return;
      after = idOf(data.at(-1));
    }
  } finally {
    await api.close();
  }
}

function filterOf(asked: Asked) {
  if ("payout" in asked) return { payout: asked.payout };
  const from = Date.parse(`${asked.day}T00:00:00Z`) / 1000;
  return { created: { gte: from, lt: from + DAY_S } };
}

const TRIES = 4;
const PAUSE_MS = 250;

/** Looking does no harm, so it is tried again where Stripe is busy or does not answer. */
async function pageOf(api: StripeApi, query: Parameters<StripeApi["get"]>[1], signal: AbortSignal) {
  for (let tries = 1; ; tries++) {
    const reply = await api.get("/v1/balance_transactions", query, signal);
    if (reply.kind === "ok") {
      if (Check(LIST, reply.body)) return reply.body;
      throw new NoReport("Stripe's answer is no list");
    }
    const why = reply.kind === "refused" ? (reply.error.message ?? reply.error.type) : reply.why;
    if (reply.kind === "refused" || tries === TRIES || /HTTP 40[134]/.test(why))
      throw new NoReport(`Stripe gives none: ${why}`);
    await pause(PAUSE_MS * tries, undefined, { signal });
  }
}

const NAMED = Type.Object({ id: Type.String() });

/** Of the last of a page, after which the next begins. */
function idOf(last: unknown): string {
  if (Check(NAMED, last)) return last.id;
  throw new NoReport("Stripe's list goes on, and its last entry has no id");
}
