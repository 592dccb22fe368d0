// faregate migrate
import type { Command } from "commander";
import { migrate } from "../journal/migrate.ts";
import { grantTo } from "../journal/rights.ts";
import { leaf, type Output } from "./command.ts";
import { progress, withDatabase } from "./office.ts";
import { print } from "./print.ts";

export function migrateCommand(faregate: Command): void {
  leaf(faregate, "migrate", "Create or update the database's tables.", "faregate migrate")
    .option("--grant-to <role>", "grant this role only what a gateway needs")
    .action(async ({ json, grantTo: role }: Output & { readonly grantTo?: string }) => {
      const result = await withDatabase(async (pool) => {
        const migrated = await migrate(pool, progress);
        if (role !== undefined) await grantTo(pool, role);
        return { ...migrated, ...(role !== undefined && { granted_to: role }) };
      });
      const names = result.applied.join(", ");
      print(json, result, () => (names ? `Applied ${names}. The database is ready.` : "The database is up to date."));
    });
}
