// What is stored of a notification: what follows from it, and its words as all of a processor's words are kept.

import type { NewNotification } from "../journal/notifications.ts";
import { keptReference, keptResponse, keptWords, MOST_SAID } from "../payment/kept-response.ts";
import type { News } from "../payment/news.ts";
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
    case "failed":
    case "made":
      return { ...news, processorResponse: keptResponse(news.processorResponse, cardMask) };
    case "dispute": {
      const { reason } = news.report;
      return reason === undefined ? news : { ...news, report: { ...news.report, reason: keptWords(reason, cardMask) } };
    }
    default:
      return news;
  }
}
