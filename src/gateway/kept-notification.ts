// What is stored of a notification: what follows from it, and its words as all of a processor's words are kept.

import type { NewNotification } from "../journal/notifications.ts";
import { keptResponse, keptWords, MOST_SAID } from "../payment/kept-response.ts";
import type { News } from "../payment/news.ts";
import type { ProcessorNotification } from "../processors/processor.ts";
import { isUuid } from "../uuid.ts";

export const keptNotification = ({ about, news, said, ...rest }: ProcessorNotification): NewNotification => ({
  ...rest,
  about: about && isUuid(about.transactionId) ? about : null,
  news: keptNews(news),
  said: keptWords(said).slice(0, MOST_SAID),
});

function keptNews(news: News): News {
  switch (news.kind) {
    case "succeeded":
    case "failed":
      return { ...news, processorResponse: keptResponse(news.processorResponse) };
    case "dispute": {
      const { reason } = news.report;
      return reason === undefined ? news : { ...news, report: { ...news.report, reason: keptWords(reason) } };
    }
    default:
      return news;
  }
}
