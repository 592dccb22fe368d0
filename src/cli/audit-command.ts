// faregate audit
import type { Command } from "commander";
import { auditLog } from "../merchants/audit.ts";
import { leaf, type Output, uuid } from "./command.ts";
import { withOffice } from "./office.ts";
import { print, table } from "./print.ts";

export function auditCommand(faregate: Command): void {
  leaf(
    faregate,
    "audit",
    "Show who changed what, newest first: the last 100 changes. With --json also before and after.",
    "faregate audit --of 0193e5b0-…",
  )
    .option("--of <id>", "only what happened to this merchant, user, token or processor", uuid)
    .action(async ({ json, of }: Output & { readonly of?: string }) => {
      const entries = await withOffice(({ sql }) =>
        auditLog(sql, of === undefined ? {} : { subject: of.toLowerCase() }),
      );
      const rows = entries.map(({ at, actor, source, action, subject }) => [at, actor, source, action, subject]);
      print(json, { entries }, () => table(["at", "who", "from", "action", "what"], rows, "Nothing was changed yet."));
    });
}
