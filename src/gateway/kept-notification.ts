// What is stored of a notification: what follows from it, and its words as all of a processor's words are kept.

import type { NewNotification } from "../journal/notifications.ts";
import { keptReference, keptResponse, keptWords, MOST_SAID } from "../payment/kept-response.ts";
import type { Disputed, News } from "../payment/news.ts";
import type { ProcessorNotification } from "../processors/processor.ts";
import { isUuid } from "../uuid.ts";

/** @param cardMask of the card that it is about, if that is known */
export const keptNotification = (
  { id, about, news, said, ...rest }: ProcessorNotification,
  cardMask: string | undefined,
): NewNotification => ({
  ...rest,
  id: keptReference(id, cardMask),
  about: about && isUuid(about.transactionId) ? about : null,
  news: keptNews(news, cardMask),
  said: keptWords(said, cardMask).slice(0, MOST_SAID),
});

function keptNews(news: News, cardMask: string | undefined): News {
  switch (news.kind) {
    case "succeeded":
    case "failed": {
      const { processorResponse, operation } = news;
      const kept = { ...news, processorResponse: keptResponse(processorResponse, cardMask) };
      return operation === undefined ? kept : { ...kept, operation: keptReference(operation, cardMask) };
    }
    case "made":
      return {
        ...news,
        processorResponse: keptResponse(news.processorResponse, cardMask),
        operation: keptReference(news.operation, cardMask),
      };
    case "dispute":
      return {
        ...news,
        reference: keptReference(news.reference, cardMask),
        report: keptReport(news.report, cardMask),
      };
    default:
      return news;
  }
}

/** What a processor says of a dispute. @param cardMask of the disputed charge's card, if that is known */
export const keptReport = (report: Disputed["report"], cardMask: string | undefined): Disputed["report"] => {
  const { reason, reasonCode } = report;
  return {
    ...report,
    ...(reason !== undefined && { reason: keptWords(reason, cardMask) }),
    ...(reasonCode !== undefined && { reasonCode: keptWords(reasonCode, cardMask) }),
  };
};
