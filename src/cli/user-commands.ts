// faregate user …
import type { Command } from "commander";
import { createUser, listUsers } from "../merchants/users.ts";
import { group, type Listed, leaf, list, type Output, pageOf, stated, tellOfMore } from "./command.ts";
import { withOffice } from "./office.ts";
import { details, print, table } from "./print.ts";
import { listOf, orRefuse } from "./refused.ts";

interface Given extends Output {
  readonly merchant: string;
  readonly name?: string;
  readonly email?: string;
}

export function userCommands(faregate: Command): void {
  const records = group(faregate, "user", "A merchant's users.");

  leaf(
    records,
    "create",
    "Create a user of a merchant.",
    "faregate user create --merchant 0193e5b0-… --name 'Jane Doe' --email jane@example.com",
  )
    .requiredOption("--merchant <id>", "the user's merchant")
    .option("--name <name>", "1 to 255 characters")
    .option("--email <address>")
    .action(async ({ json, merchant, name, email }: Given) => {
      const input = stated({ name, email });
      const user = await withOffice(async (office, author) =>
        orRefuse(await createUser(office, author, merchant, input)),
      );
      print(json, { user }, () => details(`User ${user.name} was created.`, user));
    });

  list(records, "List the users of a merchant.", "faregate user list --merchant 0193e5b0-…")
    .requiredOption("--merchant <id>", "whose users")
    .action(async (given: Listed & Given) => {
      const users = await withOffice(async ({ sql }) =>
        listOf(await listUsers(sql, given.merchant, pageOf(given)), given.merchant),
      );
      const rows = users.map(({ id, name, email, created_at }) => [id, name, email, created_at]);
      print(given.json, { users }, () =>
        table(["id", "name", "email", "created"], rows, "This merchant has no users."),
      );
      tellOfMore(users);
    });
}
