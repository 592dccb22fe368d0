// faregate notifications
import { type Command, Option } from "commander";
import {
  listNotifications,
  NOTIFICATION_RESULTS,
  NOTIFICATIONS_ON_A_PAGE,
  type Notification,
  type NotificationResult,
} from "../merchants/notifications.ts";
import { leaf, type Output, pageNumber, uuid } from "./command.ts";
import { withOffice } from "./office.ts";
import { print, progress, table } from "./print.ts";

interface Given extends Output {
  readonly merchant?: string;
  readonly processor?: string;
  readonly transaction?: string;
  readonly result?: NotificationResult;
  readonly page: number;
}

export function notificationsCommand(faregate: Command): void {
  leaf(
    faregate,
    "notifications",
    `List the notifications of processors and what came of them, newest first, ${NOTIFICATIONS_ON_A_PAGE} a page.`,
    "faregate notifications --result kept",
  )
    .option("--merchant <id>", "only this merchant's", uuid)
    .option("--processor <id>", "only those of this processor record", uuid)
    .option("--transaction <id>", "only those about this transaction", uuid)
    .addOption(new Option("--result <result>", "only those with this result").choices(NOTIFICATION_RESULTS))
    .option("--page <number>", "the page number", pageNumber, 1)
    .action(async ({ json, merchant, processor, transaction, result, page }: Given) => {
      const filter = { merchantId: merchant, processorId: processor, transactionId: transaction, result };
      const list = await withOffice(({ sql }) => listNotifications(sql, filter, page));
      const { notifications, meta } = list;
      print(json, list, () => table(HEADINGS, notifications.map(row), "There are no notifications."));
      if (page < meta.last_page)
        progress(`${notifications.length} of ${meta.total} shown. Continue with --page ${page + 1}`);
    });
}

const HEADINGS = ["received", "kind", "transaction", "processor", "result", "reason", "message"];

const row = (one: Notification) => [
  one.received_at,
  one.kind,
  one.transaction_id,
  one.processor_id,
  one.result,
  one.why,
  one.said,
];
