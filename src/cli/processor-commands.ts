// faregate processor …
import type { Command } from "commander";
import { changeProcessor, createProcessor, findProcessor, listProcessors } from "../merchants/processors.ts";
import type { KindDescription } from "../processors/kind.ts";
import { PROCESSOR_KINDS } from "../processors/kinds.ts";
import {
  commaList,
  type GivenId,
  group,
  HERE_ALREADY,
  idOf,
  idOptions,
  type Listed,
  leaf,
  list,
  type Output,
  pageOf,
  stated,
  tellOfMore,
} from "./command.ts";
import { withOffice } from "./office.ts";
import { details, print, table } from "./print.ts";
import { checkCommand } from "./processor-check-command.ts";
import { listOf, orRefuse, orRefuseCreated, Refused } from "./refused.ts";
import { collectSetting, type SetTexts, settingValues } from "./setting-values.ts";

interface Given extends Output {
  readonly merchant: string;
  readonly name?: string;
  readonly kind?: string;
  readonly currency?: string;
  readonly enabled?: boolean;
  readonly inRotation?: boolean;
  readonly requireCvv?: string[];
  readonly requireNames?: boolean;
  readonly requireDocument?: boolean;
  readonly autoCaptureAt?: string;
  readonly cutoffAt?: string;
  readonly settledAt?: string;
  readonly visibleAt?: string;
  readonly set?: SetTexts;
  readonly unset?: string[];
}

export function processorCommands(faregate: Command): void {
  const records = group(faregate, "processor", "Processor records: a merchant's accounts with processors.");

  options(
    idOptions(
      leaf(
        records,
        "create",
        "Create a processor record for a merchant.",
        "faregate processor create --merchant 0193e5b0-… --name 'Acquirer CAD' --kind simulator --currency CAD --in-rotation",
      ),
    )
      .requiredOption("--merchant <id>", "whose record")
      .option("--kind <kind>", `one of ${[...PROCESSOR_KINDS.keys()].join(", ")}; cannot be changed later`)
      .option("--currency <code>", "ISO 4217; cannot be changed later"),
  ).action(async (given: Given & GivenId) => {
    const { merchant, kind, currency } = given;
    const input = stated({ ...idOf(given), kind, currency, ...inputOf(given, PROCESSOR_KINDS.get(kind ?? "")) });
    const { value: processor, existed } = await withOffice(async (office, author) =>
      orRefuseCreated(await createProcessor(office, author, merchant, input)),
    );
    print(given.json, { processor }, () =>
      details(`Processor ${processor.name} ${existed ? HERE_ALREADY : "was created."}`, processor),
    );
  });

  list(records, "List the processor records of a merchant.", "faregate processor list --merchant 0193e5b0-…")
    .requiredOption("--merchant <id>", "whose records")
    .action(async (given: Listed & { readonly merchant: string }) => {
      const processors = await withOffice(async (office) =>
        listOf(await listProcessors(office, given.merchant, pageOf(given)), given.merchant),
      );
      const rows = processors.map((one) => [one.id, one.name, one.kind, one.currency, one.enabled, one.in_rotation]);
      const headings = ["id", "name", "kind", "currency", "enabled", "in rotation"];
      print(given.json, { processors }, () => table(headings, rows, "This merchant has no processor records."));
      tellOfMore(processors);
    });

  checkCommand(records);

  options(
    leaf(
      records,
      "change <id>",
      "Change the given fields of a processor record.",
      "faregate processor change 0193e5b4-… --no-in-rotation --cutoff-at 21:30 --set latency_ms=50",
    ).option("--unset <name>", "remove a setting (may be repeated)", (name, before: string[] = []) => [
      ...before,
      name,
    ]),
  ).action(async (id: string, given: Given) => {
    const processor = await withOffice(async (office, author) => {
      const found = await findProcessor(office, id);
      if (found === undefined) throw new Refused(`there is no processor ${id}`, { code: "not-found" });
      const input = stated(inputOf(given, office.kinds.get(found.kind)));
      return orRefuse(await changeProcessor(office, author, id, input));
    });
    print(given.json, { processor }, () => details(`Processor ${processor.name} is now:`, processor));
  });
}

function options(command: Command): Command {
  return command
    .option("--name <name>", "1 to 255 characters")
    .option("--enabled", "take charges (a new record does)")
    .option("--no-enabled", "refuse charges that name it")
    .option("--in-rotation", "may be drawn when a charge names no processor")
    .option("--no-in-rotation", "used only when a charge names it")
    .option("--require-cvv <brands>", "card brands that need a CVV, separated by commas; none for no brand", cvvBrands)
    .option("--require-names", "charges need first and last name")
    .option("--no-require-names", "charges need no names")
    .option("--require-document", "charges need a Brazilian CPF or CNPJ")
    .option("--no-require-document", "charges need neither")
    .option("--auto-capture-at <HH:MM>", "when authorizations are captured automatically, UTC; none: never")
    .option("--cutoff-at <HH:MM>", "end of the day's batch, UTC")
    .option("--settled-at <HH:MM>", "when the batch has settled, UTC")
    .option("--visible-at <HH:MM>", "when the API shows it as settled, UTC")
    .option(
      "--set <name=value>",
      "a setting of its kind (may be repeated); @file reads the value from a file, @- from stdin, as secrets must be",
      collectSetting,
    )
    .addHelpText("after", `\n${settingsHelp()}`);
}

const cvvBrands = (text: string): string[] => (text === "none" ? [] : commaList(text));

/** As the HTTP API takes it; what was not given is not there. */
function inputOf(given: Given, kind: KindDescription | undefined): object {
  const auto = given.autoCaptureAt;
  const unset = (given.unset ?? []).map((name) => [name, null]);
  return {
    name: given.name,
    enabled: given.enabled,
    in_rotation: given.inRotation,
    requires: { cvv: given.requireCvv, names: given.requireNames, document: given.requireDocument },
    settlement: {
      auto_capture_at: auto === "none" ? null : auto,
      cutoff_at: given.cutoffAt,
      settled_at: given.settledAt,
      visible_at: given.visibleAt,
    },
    settings: { ...settingValues(kind, given.set ?? []), ...Object.fromEntries(unset) },
  };
}

/** The settings of every kind, from the same schemas that judge them. */
function settingsHelp(): string {
  return [...PROCESSOR_KINDS.values()]
    .map(({ name, settingsSchema }) => {
      const settings = Object.entries(settingsSchema.properties) as [string, { description?: string }][];
      const width = Math.max(...settings.map(([setting]) => setting.length));
      const lines = settings.map(([setting, { description = "" }]) => `  ${setting.padEnd(width)}  ${description}`);
      return [`Settings of the kind ${name}:`, ...lines].join("\n");
    })
    .join("\n\n");
}
