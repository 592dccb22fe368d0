// faregate webhook …

import { type Command, Option } from "commander";
import { DELIVERY_STATUSES, type DeliveryStatus, listDeliveries, replay } from "../webhooks/deliveries.ts";
import { WEBHOOK_TYPES, type Webhook } from "../webhooks/endpoint-schema.ts";
import { changeWebhook, createWebhook, deleteWebhook, listWebhooks, rotateSecret } from "../webhooks/endpoints.ts";
import { ping } from "../webhooks/ping.ts";
import {
  commaList,
  type GivenId,
  group,
  idOf,
  idOptions,
  type Listed,
  leaf,
  list,
  type Output,
  pageOf,
  stated,
  tellOfMore,
  uuid,
} from "./command.ts";
import { withOffice, withSealing } from "./office.ts";
import { details, print, progress, table } from "./print.ts";
import { listOf, orRefuse, orRefuseCreated, Refused } from "./refused.ts";
import { createdToken } from "./token-commands.ts";

interface Given extends Output {
  readonly url?: string;
  readonly eventTypes?: string[];
  readonly enabled?: boolean;
}

interface Replaying {
  readonly delivery?: string;
  readonly since?: string;
  readonly until?: string;
}

export function webhookCommands(faregate: Command): void {
  const records = group(faregate, "webhook", "A merchant's webhook endpoints, and what was sent to them.");

  idOptions(
    options(
      leaf(
        records,
        "create",
        "Create a webhook endpoint for a merchant. Its secret is shown once.",
        "faregate webhook create --merchant 0193e5b0-… --url https://shop.example.com/faregate",
      ).requiredOption("--merchant <id>", "the merchant whose transactions it is told about"),
    ),
  ).action(async ({ merchant, ...given }: Given & GivenId & { readonly merchant: string }) => {
    const input = { ...(inputOf(given) as object), ...(stated(idOf(given)) as object) };
    const created = await withSealing(async (office, author) =>
      orRefuseCreated(await createWebhook(office, author, merchant, input)),
    );
    print(given.json, { webhook: created.value }, () =>
      createdToken(
        "The webhook",
        "Webhook was created.",
        created.existed
          ? { ...created, value: forPeople(created.value) }
          : { ...created, value: forPeople(created.value) },
      ),
    );
  });

  list(records, "List the webhook endpoints of a merchant.", "faregate webhook list --merchant 0193e5b0-…")
    .requiredOption("--merchant <id>", "whose endpoints")
    .action(async (given: Listed & { readonly merchant: string }) => {
      const webhooks = await withOffice(async ({ sql }) =>
        listOf(await listWebhooks(sql, given.merchant, pageOf(given)), given.merchant),
      );
      const rows = webhooks.map((one) => [
        one.id,
        one.url,
        one.event_types?.join(",") ?? ALL_TYPES,
        one.enabled,
        one.disabled_reason,
      ]);
      const headings = ["id", "url", "event types", "enabled", "disabled because"];
      print(given.json, { webhooks }, () => table(headings, rows, "This merchant has no webhooks."));
      tellOfMore(webhooks);
    });

  options(
    leaf(
      records,
      "change <id>",
      "Change the given fields of a webhook endpoint.",
      "faregate webhook change 0193e5b5-… --enabled",
    ),
  ).action(async (id: string, given: Given) => {
    const webhook = await withOffice(async (office, author) =>
      orRefuse(await changeWebhook(office, author, id, inputOf(given))),
    );
    print(given.json, { webhook }, () => details("The webhook is now:", forPeople(webhook)));
  });

  leaf(
    records,
    "rotate-secret <id>",
    "Give a webhook endpoint a new secret, shown once. For 24 hours webhooks are also signed with the old one.",
    "faregate webhook rotate-secret 0193e5b5-…",
  ).action(async (id: string, { json }: Output) => {
    const webhook = await withSealing(async (office, author) => orRefuse(await rotateSecret(office, author, id)));
    const { secret, ...rest } = webhook;
    print(
      json,
      { webhook },
      () => `${details("The webhook has a new secret.", forPeople(rest))}\n\nIt is not shown again:\n\n  ${secret}`,
    );
  });

  leaf(
    records,
    "delete <id>",
    "Delete a webhook endpoint and everything still to be sent to it.",
    "faregate webhook delete 0193e5b5-…",
  ).action(async (id: string, { json }: Output) => {
    const webhook = await withOffice(async (office, author) => orRefuse(await deleteWebhook(office, author, id)));
    print(json, { webhook }, () => details("The webhook is deleted.", forPeople(webhook)));
  });

  leaf(
    records,
    "deliveries <id>",
    `List what was sent to an endpoint, newest first, ${MOST_LISTED} at a time.`,
    "faregate webhook deliveries 0193e5b5-… --status failed",
  )
    .addOption(new Option("--status <status>", "only deliveries with this status").choices(DELIVERY_STATUSES))
    .option("--before <id>", "only deliveries older than this one", uuid)
    .action(async (id: string, { json, ...page }: Output & { readonly status?: DeliveryStatus; before?: string }) => {
      const deliveries = await withOffice(({ sql }) => listDeliveries(sql, id, { ...page, limit: MOST_LISTED }));
      if (deliveries === undefined) throw new Refused(`there is no webhook ${id}`, { code: "not-found" });
      const rows = deliveries.map((one) => [
        one.id,
        one.timestamp,
        one.type,
        one.status,
        one.attempts,
        one.last_answer,
        one.next_attempt_at,
      ]);
      const headings = ["id", "time", "type", "status", "attempts", "response", "next attempt"];
      print(json, { deliveries }, () => table(headings, rows, "There are no such deliveries."));
      const last = deliveries.at(-1);
      if (last && deliveries.length === MOST_LISTED) progress(`There may be more. Continue with --before ${last.id}`);
    });

  leaf(
    records,
    "ping <id>",
    "Send an endpoint a test webhook, and show its response. A gateway must be running to send it.",
    "faregate webhook ping 0193e5b5-…",
  ).action(async (id: string, { json }: Output) => {
    const delivery = await withOffice(async (office, author) => orRefuse(await ping(office, author, id)));
    print(json, { delivery }, () => details(PINGED[delivery.status], delivery));
  });

  leaf(
    records,
    "replay <id>",
    "Send an endpoint one delivery again, or all events of a period.",
    "faregate webhook replay 0193e5b5-… --since 2026-02-16T00:00:00Z --until 2026-02-17T00:00:00Z",
  )
    .option("--delivery <id>", "this delivery")
    .option("--since <time>", "events from this time on")
    .option("--until <time>", "events before this time")
    .action(async (id: string, { json, delivery, since, until }: Output & Replaying) => {
      const input = stated({ delivery_id: delivery, since, until });
      const replayed = await withOffice(async (office, author) => orRefuse(await replay(office, author, id, input)));
      print(json, { replayed }, () => `Sent again: ${replayed}`);
    });
}

const MOST_LISTED = 100;

/** As it is given on the command line, too. */
const ALL_TYPES = "all";

const forPeople = <W extends Pick<Webhook, "event_types">>(webhook: W) => ({
  ...webhook,
  event_types: webhook.event_types ?? ALL_TYPES,
});

const PINGED: Readonly<Record<DeliveryStatus, string>> = {
  delivered: "The endpoint accepted the ping.",
  failed: "The endpoint did not accept the ping.",
  waiting: "The ping has not been sent yet. Look at the endpoint's deliveries later.",
};

const options = (command: Command): Command =>
  command
    .option("--url <url>", "where webhooks are sent")
    .option("--event-types <list>", "event types, separated by commas; all for everything", commaList)
    .option("--enabled", "send webhooks to it (a new endpoint is enabled)")
    .option("--no-enabled", "send it nothing")
    .addHelpText("after", `\nEvent types:\n${WEBHOOK_TYPES.map((type) => `  ${type}`).join("\n")}`);

const inputOf = ({ url, eventTypes, enabled }: Given): unknown =>
  stated({ url, event_types: eventTypes?.join() === ALL_TYPES ? null : eventTypes, enabled });
