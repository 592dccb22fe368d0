// faregate apply: makes the gateway what a file says, or shows what would have to change.
import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import type { Command } from "commander";
import { type CarriedOut, carryOut } from "../declared/carry-out.ts";
import { type Change, changesIn, extraAsJson } from "../declared/changes.ts";
import type { Extra } from "../declared/extras.ts";
import { type DeclaredFile, readDeclared, type Tell } from "../declared/records.ts";
import { readings } from "../declared/references.ts";
import type { DeclaringOffice } from "../declared/wanted.ts";
import type { Problem, YamlFile } from "../declared/yaml-file.ts";
import { textOfFile } from "../file-text.ts";
import type { Author } from "../merchants/backoffice.ts";
import { PROCESSOR_KINDS } from "../processors/kinds.ts";
import { reasonOf } from "../start-fault.ts";
import { leaf, type Output } from "./command.ts";
import { withDeclaring } from "./office.ts";
import { print, progress } from "./print.ts";
import { Refused } from "./refused.ts";

interface Given extends Output {
  readonly file: string;
  readonly plan?: boolean;
  readonly prune?: boolean;
  readonly keepSecrets?: boolean;
}

/** The gateway is not as the file says. */
const DIFFERS = 3;
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_SHOWN = 100;

export function applyCommand(faregate: Command): void {
  leaf(
    faregate,
    "apply",
    "Make the gateway what a YAML file says: merchants, users, people, processor records, routing, webhooks and their settings. " +
      "All of it or nothing.",
    "faregate apply -f gateway.yaml --plan",
  )
    .requiredOption("-f, --file <file>", "the file; - for stdin")
    .option("--plan", "only show what would change")
    .option(
      "--prune",
      "also remove what is in no list of the file: delete webhooks, revoke tokens, lock people, switch processor records off",
    )
    .option("--keep-secrets", "leave secrets as they are whose environment variable or file is missing")
    .addHelpText(
      "after",
      "\nExit codes: 0 the gateway is as the file says; 1 failure; 2 something in the file is wrong, and nothing was changed; " +
        "3 with --plan: the gateway differs from the file.",
    )
    .action(async ({ json, file, plan = false, prune = false, keepSecrets = false }: Given) => {
      // A file that is not there or is wrong by itself is told before the database is looked for.
      const { text, yaml } = await read(file, json);
      const problems: Problem[] = [];
      const tell = tellerOf(yaml, problems);
      const folder = file === "-" ? process.cwd() : dirname(file);
      const declared = readDeclared(yaml.tree, PROCESSOR_KINDS, readings(process.env, folder, keepSecrets), tell);
      if (problems.length > 0) throw refused(file, problems, json);
      const sha256 = createHash("sha256").update(text).digest("hex");
      const wanted = { file: declared, plan, prune, source: { file: basename(file), sha256 } };
      const done = await withDeclaring((office: DeclaringOffice, author: Author) =>
        carryOut(office, author, wanted, tell),
      );
      if (done === undefined) throw refused(file, problems, json);
      report(done, declared, { json, plan, prune });
    });
}

async function read(file: string, json: true | undefined): Promise<{ readonly text: string; readonly yaml: YamlFile }> {
  // Only this command needs the library.
  const { NotYaml, readYaml } = await import("../declared/yaml-file.ts");
  let text: string;
  try {
    text = textOfFile(file === "-" ? 0 : file, MOST_BYTES);
  } catch (fault) {
    throw new Refused(`cannot read the file ${file}: ${reasonOf(fault)}`, { usage: true });
  }
  try {
    return { text, yaml: readYaml(text) };
  } catch (fault) {
    if (fault instanceof NotYaml) throw refused(file, fault.problems, json);
    throw fault;
  }
}

const tellerOf =
  (yaml: YamlFile, problems: Problem[]): Tell =>
  (path, text, ofName = false) => {
    // A field that was told of is not told of again by who comes later.
    if (problems.some((one) => one.path === path)) return;
    problems.push({ ...(ofName ? yaml.placeOfName(path) : yaml.placeOf(path)), path, text });
  };

function refused(file: string, problems: readonly Problem[], json: true | undefined): Refused {
  const sorted = [...problems].sort((one, other) => one.line - other.line || one.column - other.column);
  const shown = sorted.slice(0, MOST_SHOWN);
  const sentence = ({ path, text }: Problem) => `${path === "" ? "the file" : path} ${text}`;
  if (!json) for (const one of shown) progress(`${file}:${one.line}:${one.column}: ${sentence(one)}`);
  const more = sorted.length > MOST_SHOWN ? ` (the first ${MOST_SHOWN} are shown)` : "";
  const count = `${sorted.length === 1 ? "1 problem" : `${sorted.length} problems`} in ${file}${more}; nothing was changed`;
  const fields = Object.fromEntries(
    shown.map((one) => [one.path || "file", [`line ${one.line}, column ${one.column}: ${one.text}`]]),
  );
  return new Refused(count, { usage: true, code: "invalid-file", fields: { base: [count], ...fields } });
}

interface Told {
  readonly json: true | undefined;
  readonly plan: boolean;
  readonly prune: boolean;
}

function report({ entries, extras, removed }: CarriedOut, file: DeclaredFile, { json, plan, prune }: Told): void {
  const changes = changesIn(entries, new Set(removed.map(({ id }) => id)));
  const differs = plan && (changes.length > 0 || extras.length > 0);
  const counts = countsOf(changes);
  const result = {
    applied: !plan,
    differs: changes.length + extras.length > 0,
    ...counts,
    changes,
    not_in_file: extras.map(extraAsJson),
  };
  print(json, result, () => inWords(changes, extras, file, { json, plan, prune }));
  if (differs) process.exitCode = DIFFERS;
}

const countsOf = (changes: readonly Change[]) => ({
  created: changes.filter(({ action }) => action === "create").length,
  changed: changes.filter(({ action }) => action === "change").length,
  deleted: changes.filter(({ action }) => action === "delete").length,
});

const SIGNS = { create: "+", change: "~", delete: "-" } as const;

function inWords(
  changes: readonly Change[],
  extras: readonly Extra[],
  file: DeclaredFile,
  { plan, prune }: Told,
): string {
  const parts: string[] = [];
  if (changes.length > 0) parts.push(changes.map(changeInWords).join("\n"));
  if (extras.length > 0) parts.push(extrasInWords(extras, prune));
  const { created, changed, deleted } = countsOf(changes);
  const counts = `${created} ${plan ? "to create" : "created"}, ${changed} ${plan ? "to change" : "changed"}, ${deleted} ${plan ? "to delete" : "deleted"}.`;
  if (changes.length > 0) parts.push(plan ? `${counts} Nothing was changed.` : counts);
  else if (extras.length === 0) parts.push(`The gateway is as the file says. ${file.records.length} records.`);
  else parts.push("All that is in the file is as it says. Nothing was changed.");
  const people = changes.filter(({ action, record }) => action === "create" && record === "person");
  if (!plan && people.length > 0)
    parts.push("New people have no password yet. To give somebody a first one: faregate person reset-password <id>");
  if (!plan && changes.some(({ action, record }) => action === "create" && record === "webhook"))
    parts.push("The secrets of new webhooks were not shown. To get one: faregate webhook rotate-secret <id>");
  return parts.join("\n\n");
}

function changeInWords({ action, record, id, name, fields }: Change): string {
  const head = `${SIGNS[action]} ${record} ${id}${name === "" ? "" : `  ${name}`}`;
  if (action === "delete") return head;
  return [
    head,
    ...fields.map(
      ({ field, from, to }) => `    ${field}: ${action === "create" ? shown(to) : `${shown(from)} → ${shown(to)}`}`,
    ),
  ].join("\n");
}

const shown = (value: unknown): string =>
  value === null || value === undefined ? "-" : typeof value === "string" ? value : JSON.stringify(value);

function extrasInWords(extras: readonly Extra[], prune: boolean): string {
  const lines = extras.map(
    ({ record, id, name, removable }) => `? ${record} ${id}  ${name}${removable ? "" : "  (cannot be removed)"}`,
  );
  const hint = extras.some(({ removable }) => removable) && !prune ? " --prune removes what can be." : "";
  return `Not in the file:${hint}\n${lines.join("\n")}`;
}
