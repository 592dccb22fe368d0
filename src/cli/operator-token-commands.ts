// faregate operator-token …
import type { Command } from "commander";
import { createOperatorToken, listOperatorTokens, revokeOperatorToken } from "../merchants/operator-tokens.ts";
import { group, type Listed, leaf, list, type Output, pageOf, stated, tellOfMore } from "./command.ts";
import { withOffice } from "./office.ts";
import { details, print, table } from "./print.ts";
import { orRefuse } from "./refused.ts";
import { createdToken } from "./token-commands.ts";

export function operatorTokenCommands(faregate: Command): void {
  const records = group(faregate, "operator-token", "Operators' tokens, for everything under /operator.");

  leaf(
    records,
    "create",
    "Create an operator token. Its secret is shown once.",
    "faregate operator-token create --name Jane",
  )
    .option("--name <name>", "whose token it is: the name that the audit log shows")
    .action(async ({ json, name }: Output & { readonly name?: string }) => {
      const token = await withOffice(async (office, author) =>
        orRefuse(await createOperatorToken(office, author, stated({ name }))),
      );
      print(json, { operator_token: token }, () => createdToken("Operator token", token));
    });

  list(records, "List the operator tokens.", "faregate operator-token list").action(async (given: Listed) => {
    const tokens = await withOffice(({ sql }) => listOperatorTokens(sql, pageOf(given)));
    const rows = tokens.map(({ id, name, created_at, revoked_at }) => [id, name, created_at, revoked_at]);
    print(given.json, { operator_tokens: tokens }, () =>
      table(["id", "name", "created", "revoked"], rows, "There are no operator tokens."),
    );
    tellOfMore(tokens);
  });

  leaf(
    records,
    "revoke <id>",
    "Revoke an operator token. It is refused everywhere within a second.",
    "faregate operator-token revoke 0193e5b3-…",
  ).action(async (id: string, { json }: Output) => {
    const token = await withOffice(async (office, author) => orRefuse(await revokeOperatorToken(office, author, id)));
    print(json, { operator_token: token }, () => details(`The operator token of ${token.name} is revoked.`, token));
  });
}
