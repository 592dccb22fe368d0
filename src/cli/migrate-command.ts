// faregate migrate
import type { Command } from "commander";
import { migrate } from "../journal/migrate.ts";
import { leaf, type Output } from "./command.ts";
import { progress, withDatabase } from "./office.ts";
import { print } from "./print.ts";

export function migrateCommand(faregate: Command): void {
  leaf(faregate, "migrate", "Bring the database's tables to what this version needs.", "faregate migrate").action(
    async ({ json }: Output) => {
      const result = await withDatabase((pool) => migrate(pool, progress));
      const names = result.applied.join(", ");
      print(json, result, () =>
        names ? `Applied ${names}. The database is ready.` : "The database is ready: nothing to apply.",
      );
    },
  );
}
