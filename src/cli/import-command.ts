// faregate import
import type { Command } from "commander";
import { carryOutImport, checkImport, type Imported, type PlaceProblems } from "../merchants/import/import.ts";
import { leaf, type Output } from "./command.ts";
import { readImportFile } from "./import-file.ts";
import { withOffice } from "./office.ts";
import { print, progress, table } from "./print.ts";
import { Refused } from "./refused.ts";

interface Given extends Output {
  readonly apply?: boolean;
}

const MOST_SHOWN = 100;

export function importCommand(faregate: Command): void {
  leaf(
    faregate,
    "import <file>",
    "Check a JSON file of merchants, users, processor records and tokens, and show what would be created. Use - for stdin. " +
      "With --apply, create all of it or nothing. Existing records are left unchanged.",
    "faregate import merchants.json --apply",
  )
    .option("--apply", "create the new records; secrets of new tokens are shown once")
    .addHelpText(
      "after",
      "\nExit codes: 0 success; 1 failure; 2 something in the file is wrong, and nothing was created.",
    )
    .action(async (file: string, { json, apply = false }: Given) => {
      // A file that is not there is told before the database is looked for.
      const { json: content, problems } = readImportFile(file);
      const result = await withOffice((office, author) =>
        apply ? carryOutImport(office, author, content, problems) : checkImport(office, content, problems),
      );
      if (result.kind === "invalid") throw refusedFile(file, result.problems, json);
      print(json, { applied: apply, records: result.records.map(shown(apply)) }, () => report(result.records, apply));
    });
}

/** All problems are shown, up to a hundred. @param what was not done */
export function refusedFile(file: string, problems: PlaceProblems, json = false, what = "created"): Refused {
  if (!json) for (const [place, problem] of problems.slice(0, MOST_SHOWN)) progress(`${place} ${problem}`);
  const more = problems.length > MOST_SHOWN ? ` (the first ${MOST_SHOWN} are shown)` : "";
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const fields = Object.fromEntries(problems.slice(0, MOST_SHOWN).map(([place, problem]) => [place, [problem]]));
  return new Refused(`${count} in ${file}${more}; nothing was ${what}`, {
    usage: true,
    code: "invalid-file",
    fields: json ? { base: [`${count}${more}; nothing was ${what}`], ...fields } : undefined,
  });
}

const shown =
  (apply: boolean) =>
  ({ record: { kind, id, merchantId, place }, there, differs, secret }: Imported) => ({
    ...{ kind, id, merchant_id: merchantId, place, result: resultOf(there, apply), differs },
    ...(secret !== undefined && { secret }),
  });

const resultOf = (there: boolean, apply: boolean) => (there ? "exists" : apply ? "created" : "new");

function report(records: readonly Imported[], apply: boolean): string {
  const rows = records.map(({ record, there, differs }) => [
    record.kind,
    record.id,
    resultOf(there, apply),
    differs.join(", "),
    record.place,
  ]);
  const secrets = records.flatMap(({ record, secret }) => (secret === undefined ? [] : [[record.id, secret]]));
  const parts = [table(["record", "id", "result", "differs in", "place"], rows, "The file has no records.")];
  if (secrets.length > 0)
    parts.push(`Secrets of new tokens, which are not shown again:\n\n${table(["token", "secret"], secrets, "")}`);
  parts.push(summary(records, apply));
  return parts.join("\n\n");
}

function summary(records: readonly Imported[], apply: boolean): string {
  const there = records.filter((one) => one.there).length;
  const counts = `${records.length - there} new, ${there} existing and unchanged.`;
  return apply ? `Created: ${counts}` : `${counts} Nothing was created. To create them, add --apply.`;
}
