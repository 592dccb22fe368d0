// faregate token … and faregate operator-token …

import type { Command } from "commander";
import { createOperatorToken, listOperatorTokens, revokeOperatorToken } from "../merchants/operator-tokens.ts";
import { createToken, listTokens, revokeToken, SCOPES } from "../merchants/tokens.ts";
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
import { type Created, listOf, orRefuse, orRefuseCreated } from "./refused.ts";

interface Given extends Output {
  readonly merchant: string;
  readonly user?: string;
  readonly scopes?: string[];
  readonly expiresAt?: string;
  readonly rateLimit?: string;
}

export function tokenCommands(faregate: Command): void {
  const records = group(faregate, "token", "API tokens of a merchant's users.");

  idOptions(
    leaf(
      records,
      "create",
      "Create an API token. Its secret is shown once.",
      "faregate token create --merchant 0193e5b0-… --user 0193e5b1-… --scopes charge,follow_up,read",
    ),
  )
    .requiredOption("--merchant <id>", "the merchant that the token acts for")
    .option("--user <id>", "the user that the token acts as")
    .option("--scopes <list>", `what it may do, separated by commas: ${SCOPES.join(", ")}`, commaList)
    .option("--expires-at <time>", "when it expires, such as 2039-01-31T00:00:00Z; by default never")
    .option("--rate-limit <number>", "requests a minute, 0 for no limit; by default the gateway's limit")
    .action(async ({ json, merchant, user, scopes, expiresAt, rateLimit, ...given }: Given & GivenId) => {
      const input = stated({
        ...idOf(given),
        user_id: user,
        scopes,
        expires_at: expiresAt,
        rate_limit_per_minute: rateLimit === undefined ? undefined : wholeNumber(rateLimit),
      });
      const created = await withOffice(async (office, author) =>
        orRefuseCreated(await createToken(office, author, merchant, input)),
      );
      print(json, { token: created.value }, () => createdToken("The API token", "API token was created.", created));
    });

  list(records, "List the API tokens of a merchant.", "faregate token list --merchant 0193e5b0-…")
    .requiredOption("--merchant <id>", "whose tokens")
    .action(async (given: Listed & Given) => {
      const tokens = await withOffice(async ({ sql }) =>
        listOf(await listTokens(sql, given.merchant, pageOf(given)), given.merchant),
      );
      const rows = tokens.map((token) => [
        token.id,
        token.user_id,
        token.scopes.join(","),
        token.rate_limit_per_minute ?? "default",
        token.expires_at ?? "never",
        token.revoked_at,
      ]);
      const headings = ["id", "user", "scopes", "per minute", "expires", "revoked"];
      print(given.json, { tokens }, () => table(headings, rows, "This merchant has no API tokens."));
      tellOfMore(tokens);
    });

  leaf(
    records,
    "revoke <id>",
    "Revoke an API token. It is refused everywhere within a second.",
    "faregate token revoke 0193e5b2-…",
  ).action(async (id: string, { json }: Output) => {
    const token = await withOffice(async (office, author) => orRefuse(await revokeToken(office, author, id)));
    print(json, { token }, () => details("The API token is revoked.", token));
  });
}

/** @param what it is, at the beginning of a sentence @param done the sentence where it was created now */
export function createdToken(what: string, done: string, { value, existed }: Created<WithSecret, object>): string {
  if (existed) return `${details(`${what} ${HERE_ALREADY} Its secret was shown when it was created.`, value)}`;
  const { secret, ...token } = value;
  return `${details(done, token)}\n\nIts secret, which is not shown again:\n\n  ${secret}`;
}

interface WithSecret {
  readonly secret: string;
}

/** What is none is left as it is, for the schema to find. */
const wholeNumber = (text: string): number | string => (/^\d{1,15}$/.test(text) ? Number(text) : text);

export function operatorTokenCommands(faregate: Command): void {
  const records = group(faregate, "operator-token", "Operators' tokens, for everything under /operator.");

  idOptions(
    leaf(
      records,
      "create",
      "Create an operator token. Its secret is shown once.",
      "faregate operator-token create --name Jane",
    ),
  )
    .option("--name <name>", "whose token it is: the name that the audit log shows")
    .action(async ({ json, name, ...given }: Output & GivenId & { readonly name?: string }) => {
      const created = await withOffice(async (office, author) =>
        orRefuseCreated(await createOperatorToken(office, author, stated({ name, ...idOf(given) }))),
      );
      print(json, { operator_token: created.value }, () =>
        createdToken("The operator token", "Operator token was created.", created),
      );
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
