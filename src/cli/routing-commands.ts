// faregate routing …

import { type Command, InvalidArgumentError } from "commander";
import { processorsAtWork } from "../gateway/processors-at-work.ts";
import { tryRoute } from "../gateway/route-try.ts";
import type { Backoffice, Done, Invalid, Unknown } from "../merchants/backoffice.ts";
import { isObject } from "../merchants/import/read-records.ts";
import { processorLookup } from "../merchants/processor-lookup.ts";
import type { TriedRoute } from "../merchants/route-try-schema.ts";
import { changeRouting, findRouting } from "../merchants/routing.ts";
import type { Routing, ShownRule } from "../merchants/routing-schema.ts";
import { PROCESSOR_KINDS } from "../processors/kinds.ts";
import { isUuid } from "../uuid.ts";
import { group, leaf, type Output, stated, uuid } from "./command.ts";
import { refuseUnopened } from "./command-secrets.ts";
import { readJsonFile } from "./import-file.ts";
import { withOffice } from "./office.ts";
import { print, table } from "./print.ts";
import { partsFor } from "./processor-check-command.ts";
import { orRefuse, Refused } from "./refused.ts";

export function routingCommands(faregate: Command): void {
  const records = group(faregate, "routing", "The rules for where a merchant's charges go.");

  leaf(records, "show <merchant>", "Show a merchant's rules.", "faregate routing show 0193e5b0-…").action(
    async (merchant: string, { json }: Output) => {
      const routing = await withOffice((office) => findRouting(office, merchant));
      if (routing === undefined) throw new Refused(`there is no merchant ${merchant}`, { code: "not-found" });
      print(json, { routing }, () => inWords(routing));
    },
  );

  leaf(
    records,
    "set <merchant> <file>",
    "Set a merchant's rules, or to how many processors a declined charge may be sent, from a JSON file as printed by show --json. Use - for stdin.",
    "faregate routing set 0193e5b0-… routing.json",
  ).action(async (merchant: string, file: string, { json }: Output) => {
    const input = rulesIn(file);
    const routing = await withOffice(async (office, author) =>
      orTell(await changeRouting(office, author, merchant, input)),
    );
    print(json, { routing }, () => inWords(routing));
  });

  tryCommand(records);
}

/** `{"rules": […], "attempts_at_most": 3}`, or as it is shown: `{"routing": {"version": 3, …}}`. */
function rulesIn(file: string): object {
  const content = readJsonFile(file);
  const routing = isObject(content) && "routing" in content ? content.routing : content;
  if (!isObject(routing) || !["rules", "attempts_at_most"].some((name) => name in routing))
    throw new Refused(`${file} has neither rules nor attempts_at_most`, { usage: true });
  const unknown = Object.keys(routing).filter((name) => !["rules", "attempts_at_most", "version"].includes(name));
  if (unknown.length > 0) throw new Refused(`${file} has an unknown field: ${unknown[0]}`, { usage: true });
  return routing;
}

/** What is wrong stands in the file, under no option. */
function orTell<T>(result: Done<T> | Invalid | Unknown): T {
  if (result.kind !== "invalid") return orRefuse(result);
  const problems = Object.entries(result.problems).map(([field, [text]]) => `${field} ${text}`);
  throw new Refused(problems.join("; "), { usage: true });
}

function inWords({ version, rules, attempts_at_most: attempts }: Routing): string {
  const rows = rules.map(({ name, when, processors }, index) => [
    index + 1,
    name,
    conditionsInWords(when),
    processors.map(({ id, weight }) => `${id} (${weight})`).join(", "),
  ]);
  const none = "There are no rules: a charge goes to any processor that can take it.";
  const declined =
    attempts === 1 ? "A decline ends a charge." : `A declined charge is sent to ${attempts} processors at most.`;
  return `Version ${version}\n\n${table(["rule", "name", "when", "processors (weight)"], rows, none)}\n\n${declined}`;
}

function conditionsInWords({ meta = [], airline, ...when }: ShownRule["when"]): string {
  const parts = [
    ...Object.entries(when).map(([name, value]) => `${name} ${[value].flat().join(", ")}`),
    ...(airline === undefined ? [] : [airline ? "airline data" : "no airline data"]),
    ...meta.map(({ name, values }) => `meta.${name} ${values.join(", ")}`),
  ];
  return parts.join("; ") || "always";
}

interface Tried extends Output {
  readonly amount: string;
  readonly cardStart: string;
  readonly currency?: string;
  readonly country?: string;
  readonly airline?: true;
  readonly meta?: Readonly<Record<string, string>>;
  readonly cvv: boolean;
  readonly names: boolean;
  readonly document: boolean;
  readonly processor?: string;
  readonly transaction?: string;
}

function tryCommand(records: Command): void {
  leaf(
    records,
    "try <merchant>",
    "Show where a charge would go, and why. Nothing is charged.",
    "faregate routing try 0193e5b0-… --amount 10.00 --card-start 41111111 --currency CAD",
  )
    .requiredOption("--amount <amount>", "such as 10.00")
    .requiredOption("--card-start <digits>", "the first eight digits of the card number, and no more")
    .option("--currency <code>", "the charge's currency, if it sends one")
    .option("--country <code>", "the country of the billing address")
    .option("--airline", "with airline data")
    .option("--meta <name=value>", "a field of meta (may be repeated)", collectMeta)
    .option("--no-cvv", "without a CVV")
    .option("--no-names", "without first and last name")
    .option("--no-document", "without a CPF or CNPJ")
    .option("--processor <id>", "the processor record, if the charge names one", uuid)
    .option("--transaction <id>", "repeat the draw of this transaction; by default, draw for a new one", uuid)
    .action(async (merchant: string, { json, cardStart, processor, transaction, ...given }: Tried) => {
      const input = stated({
        ...given,
        card_start: cardStart,
        processor_id: processor,
        transaction_id: transaction,
      });
      const route = await withOffice((office) => tried(office, merchant, input));
      print(json, { route }, () => routeInWords(route));
    });
}

async function tried(office: Backoffice, merchant: string, input: unknown): Promise<TriedRoute> {
  const records = processorLookup(office.sql, office.secrets);
  const processors = processorsAtWork(records, PROCESSOR_KINDS, partsFor(office.clock));
  try {
    // What such a processor takes nobody knows, so where the charge would go would be guessed.
    for (const { id, unopened } of isUuid(merchant) ? await records.processorsOf(merchant) : [])
      refuseUnopened(id, unopened);
    return orRefuse(await tryRoute(office, processors, merchant, input));
  } finally {
    await processors.close();
  }
}

function routeInWords({ transaction_id, processor_id, order, refused, why }: TriedRoute): string {
  const [first] = order;
  const where =
    processor_id === null ? `The charge is refused: ${refused.join(", ")}.` : `The charge goes to ${first?.name}.`;
  const rows = order.map(({ processor_id: id, name, weight, share }) => [id, name, weight, `${percent(share)} %`]);
  const headings = ["in order", "name", "weight", "drawn first"];
  const drawn = order.length > 1 ? [`Drawn with the transaction's id ${transaction_id}.`] : [];
  return [where, ...(rows.length > 0 ? [table(headings, rows, "")] : []), [...why, ...drawn].join("\n")].join("\n\n");
}

const percent = (share: number): string => String(Math.round(share * 1_000) / 10);

function collectMeta(given: string, before: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const at = given.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must be of the form name=value.");
  return { ...before, [given.slice(0, at)]: given.slice(at + 1) };
}
