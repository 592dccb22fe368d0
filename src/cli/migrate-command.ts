// faregate migrate
import type { Command } from "commander";
import { distribute } from "../journal/distribute.ts";
import { migrate } from "../journal/migrate.ts";
import { grantTo } from "../journal/rights.ts";
import { leaf, type Output } from "./command.ts";
import { withDatabase } from "./office.ts";
import { print, progress } from "./print.ts";

export function migrateCommand(faregate: Command): void {
  leaf(faregate, "migrate", "Create or update the database's tables.", "faregate migrate")
    .option("--grant-to <role>", "grant this role only what a gateway needs")
    .option("--distribute", "on Citus: distribute the tables by merchant over its workers")
    .action(async ({ json, grantTo: role, distribute: wanted }: Wanted) => {
      const result = await withDatabase(async (pool) => {
        const migrated = await migrate(pool, progress);
        const distributed = wanted ? await distribute(pool, progress) : undefined;
        if (role !== undefined) await grantTo(pool, role);
        return { ...migrated, ...distributed, ...(role !== undefined && { granted_to: role }) };
      });
      const names = result.applied.join(", ");
      const spread = "workers" in result ? ` It is distributed over ${result.workers} workers.` : "";
      const ready = names ? `Applied ${names}. The database is ready.` : "The database is up to date.";
      print(json, result, () => ready + spread);
    });
}

interface Wanted extends Output {
  readonly grantTo?: string;
  readonly distribute?: boolean;
}
