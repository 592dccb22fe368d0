// News as the tables of notifications have them: JSON, which knows neither dates nor amounts.

import { amountOf } from "../payment/money.ts";
import type { Disputed, Ended, Kept, Made, News } from "../payment/news.ts";
import type { SettlementTimes } from "../payment/outcome.ts";
import { reportFrom, type StoredReport, storedReport } from "./dispute-reports.ts";

export type StoredNews = Kept | StoredEnd | StoredMade | StoredDispute;

type StoredEnd = Omit<Ended, "settlement" | "money"> & {
  readonly settlement?: { readonly cutoffAt: string; readonly settledAt: string; readonly visibleAt: string };
  readonly money?: { readonly amount: string; readonly currency: string };
};

type StoredMade = Omit<Made, "money"> & Pick<StoredEnd, "money">;

type StoredDispute = Omit<Disputed, "report"> & { readonly report: StoredReport };

/** Any instant: the notification has its own. */
const NO_TIME = new Date(0);

export function storedNews(news: News): object {
  if (news.kind === "dispute") return { ...news, report: storedReport({ ...news.report, at: NO_TIME }) };
  if ((news.kind !== "succeeded" && news.kind !== "made") || news.money === undefined) return news;
  return { ...news, money: { ...news.money, amount: String(news.money.amount) } };
}

export function newsFrom(stored: StoredNews): News {
  if ("report" in stored) return { ...stored, report: reportFrom(stored.report) };
  if (!("processorResponse" in stored)) return stored;
  const { settlement, money, ...rest } = stored as StoredEnd;
  return {
    ...rest,
    ...(settlement && { settlement: settlementFrom(settlement) }),
    ...(money && { money: { amount: amountOf(BigInt(money.amount)), currency: money.currency } }),
  } as Ended;
}

const settlementFrom = ({ cutoffAt, settledAt, visibleAt }: NonNullable<StoredEnd["settlement"]>): SettlementTimes => ({
  cutoffAt: new Date(cutoffAt),
  settledAt: new Date(settledAt),
  visibleAt: new Date(visibleAt),
});
