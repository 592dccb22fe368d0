// faregate webhook …
import type { Command } from "commander";
import { changeWebhook, createWebhook, deleteWebhook, listWebhooks, rotateSecret } from "../webhooks/endpoints.ts";
import { WEBHOOK_TYPES } from "../webhooks/types.ts";
import { commaList, group, type Listed, leaf, list, type Output, partOf, stated, tellOfMore } from "./command.ts";
import { withOffice, withSealing } from "./office.ts";
import { details, print, table } from "./print.ts";
import { listOf, orRefuse } from "./refused.ts";
import { createdToken } from "./token-commands.ts";

interface Given extends Output {
  readonly url?: string;
  readonly eventTypes?: string[];
  readonly enabled?: boolean;
}

export function webhookCommands(faregate: Command): void {
  const records = group(faregate, "webhook", "Webhooks: where a merchant is told of what happens to its transactions.");

  options(
    leaf(
      records,
      "create",
      "Create a webhook endpoint for a merchant. Its secret is shown this once.",
      "faregate webhook create --merchant 0193e5b0-… --url https://shop.example.com/faregate",
    ).requiredOption("--merchant <id>", "who is told, of its own transactions only"),
  ).action(async ({ merchant, ...given }: Given & { readonly merchant: string }) => {
    const webhook = await withSealing(async (office, author) =>
      orRefuse(await createWebhook(office, author, merchant, inputOf(given))),
    );
    print(given.json, { webhook }, () => createdToken("Webhook", webhook));
  });

  list(records, "List the webhook endpoints of a merchant.", "faregate webhook list --merchant 0193e5b0-…")
    .requiredOption("--merchant <id>", "whose endpoints")
    .action(async (given: Listed & { readonly merchant: string }) => {
      const webhooks = await withOffice(async ({ sql }) =>
        listOf(await listWebhooks(sql, given.merchant, partOf(given)), given.merchant),
      );
      const rows = webhooks.map((one) => [
        one.id,
        one.url,
        one.event_types?.join(",") ?? "all",
        one.enabled,
        one.disabled_reason,
      ]);
      const headings = ["id", "url", "told of", "enabled", "why not"];
      print(given.json, { webhooks }, () => table(headings, rows, "This merchant has no webhooks."));
      tellOfMore(webhooks);
    });

  options(
    leaf(
      records,
      "change <id>",
      "Change a webhook endpoint: what is named, and nothing else.",
      "faregate webhook change 0193e5b5-… --enabled",
    ),
  ).action(async (id: string, given: Given) => {
    const webhook = await withOffice(async (office, author) =>
      orRefuse(await changeWebhook(office, author, id, inputOf(given))),
    );
    print(given.json, { webhook }, () => details("The webhook is now:", webhook));
  });

  leaf(
    records,
    "rotate-secret <id>",
    "Give a webhook endpoint a new secret, shown this once; for 24 hours the one before it signs too.",
    "faregate webhook rotate-secret 0193e5b5-…",
  ).action(async (id: string, { json }: Output) => {
    const webhook = await withSealing(async (office, author) => orRefuse(await rotateSecret(office, author, id)));
    const { secret, ...rest } = webhook;
    print(
      json,
      { webhook },
      () => `${details("The webhook has a new secret.", rest)}\n\nShown this once:\n\n  ${secret}`,
    );
  });

  leaf(
    records,
    "delete <id>",
    "Delete a webhook endpoint, with everything that it was still to be told.",
    "faregate webhook delete 0193e5b5-…",
  ).action(async (id: string, { json }: Output) => {
    const webhook = await withOffice(async (office, author) => orRefuse(await deleteWebhook(office, author, id)));
    print(json, { webhook }, () => details("The webhook is deleted.", webhook));
  });
}

const options = (command: Command): Command =>
  command
    .option("--url <url>", "where it is told")
    .option("--event-types <list>", "what it is told of, with commas; all for everything", commaList)
    .option("--enabled", "tell it (a new one is)")
    .option("--no-enabled", "do not")
    .addHelpText("after", `\nEvent types:\n${WEBHOOK_TYPES.map((type) => `  ${type}`).join("\n")}`);

const inputOf = ({ url, eventTypes, enabled }: Given): unknown =>
  stated({ url, event_types: eventTypes?.join() === "all" ? null : eventTypes, enabled });
