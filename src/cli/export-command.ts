// faregate export: the gateway's state as a YAML file that `apply` takes, without secrets; and the schema of such files.
import type { Command } from "commander";
import { jsonSchema } from "../declared/file-schema.ts";
import { envNamesIn, exported } from "../declared/state.ts";
import { findMerchant } from "../merchants/merchants.ts";
import { PROCESSOR_KINDS } from "../processors/kinds.ts";
import { leaf, type Output, uuid } from "./command.ts";
import { withOffice } from "./office.ts";
import { print } from "./print.ts";
import { Refused } from "./refused.ts";

interface Given extends Output {
  readonly merchant?: string;
  readonly schema?: true;
}

export function exportCommand(faregate: Command): void {
  leaf(
    faregate,
    "export",
    "Print the gateway's state as a YAML file that apply takes. Secrets are named by environment variables and never printed.",
    "faregate export > gateway.yaml",
  )
    .option("--merchant <id>", "only this merchant", uuid)
    .option("--schema", "print the JSON Schema of such files instead, for editors")
    .action(async ({ json, merchant, schema }: Given) => {
      if (schema) return print(true, jsonSchema(PROCESSOR_KINDS), () => "");
      const tree = await withOffice(async (office) => {
        const id = merchant?.toLowerCase();
        if (id !== undefined && (await findMerchant(office.sql, id)) === undefined)
          throw new Refused(`there is no merchant ${id}`, { code: "not-found" });
        return exported(office, id);
      });
      const text = json ? "" : await yamlOf(tree);
      print(json, tree, () => text.trimEnd());
    });
}

/** Texts that other readers take for something else are quoted. */
async function yamlOf(tree: object): Promise<string> {
  // Only this command needs the library.
  const { Document } = await import("yaml");
  const document = new Document(tree, {
    version: "1.2",
    schema: "core",
    compat: "yaml-1.1",
    aliasDuplicateObjects: false,
  });
  const names = envNamesIn(tree);
  const secrets =
    names.length === 0
      ? ""
      : `\n Secrets are not in this file. Before it is applied elsewhere, set:\n${names.map((name) => `   ${name}`).join("\n")}`;
  document.commentBefore = ` The state of a Faregate gateway. faregate apply -f <this file>${secrets}`;
  return document.toString({ lineWidth: 0 });
}
