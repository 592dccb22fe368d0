// faregate merchant … and faregate user …

import type { Command } from "commander";
import { changeMerchant, createMerchant, listMerchants } from "../merchants/merchants.ts";
import { renewReturnSecret } from "../merchants/returns.ts";
import { createUser, listUsers } from "../merchants/users.ts";
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
import { withOffice, withReturns } from "./office.ts";
import { details, print, table } from "./print.ts";
import { listOf, orRefuse, orRefuseCreated } from "./refused.ts";

interface Given extends Output {
  readonly name?: string;
  readonly refuseCardLikeIdentifiers?: boolean;
  readonly requireIpAddress?: boolean;
  readonly cardNumbers?: string;
  readonly returnHosts?: string[];
  readonly verifyCards?: boolean;
}

export function merchantCommands(faregate: Command): void {
  const records = group(faregate, "merchant", "Merchants.");

  idOptions(leaf(records, "create", "Create a merchant.", "faregate merchant create --name 'Northwind Air'"))
    .option("--name <name>", "1 to 255 characters")
    .option("--refuse-card-like-identifiers", "refuse order numbers that look like card numbers")
    .option("--no-require-ip-address", "take sales without the customer's IP address")
    .option("--card-numbers <allowed|forbidden>", "whether requests may have card numbers")
    .option("--return-hosts <hosts>", "where payers may be sent after a challenge, with commas between", commaList)
    .option("--verify-cards", "verify a card before it is put on file")
    .action(async ({ json, id, externalKey, ...given }: Given & GivenId) => {
      const input = { ...(inputOf(given) as object), ...(stated(idOf({ id, externalKey })) as object) };
      const { value: merchant, existed } = await withOffice(async (office, author) =>
        orRefuseCreated(await createMerchant(office, author, input)),
      );
      print(json, { merchant }, () =>
        details(`Merchant ${merchant.name} ${existed ? HERE_ALREADY : "was created."}`, merchant),
      );
    });

  list(records, "List the merchants.", "faregate merchant list").action(async (given: Listed) => {
    const merchants = await withOffice(({ sql }) => listMerchants(sql, pageOf(given)));
    const rows = merchants.map(({ id, name, created_at }) => [id, name, created_at]);
    print(given.json, { merchants }, () =>
      table(["id", "name", "created"], rows, "There are no merchants. Create one: faregate merchant create --name …"),
    );
    tellOfMore(merchants);
  });

  leaf(
    records,
    "change <id>",
    "Change the given fields of a merchant.",
    "faregate merchant change 0193e5b0-… --name 'Southwind Air'",
  )
    .option("--name <name>", "1 to 255 characters")
    .option("--refuse-card-like-identifiers", "refuse order numbers that look like card numbers")
    .option("--no-refuse-card-like-identifiers", "refuse only the card number of the same request")
    .option("--require-ip-address", "refuse sales without the customer's IP address")
    .option("--no-require-ip-address", "take them")
    .option("--card-numbers <allowed|forbidden>", "whether requests may have card numbers")
    .option("--return-hosts <hosts>", "where payers may be sent after a challenge, with commas between", commaList)
    .option("--verify-cards", "verify a card before it is put on file")
    .option("--no-verify-cards", "put it on file unseen")
    .action(async (id: string, { json, ...given }: Given) => {
      const merchant = await withOffice(async (office, author) =>
        orRefuse(await changeMerchant(office, author, id, inputOf(given))),
      );
      print(json, { merchant }, () => details(`Merchant ${merchant.name} was changed.`, merchant));
    });

  leaf(
    records,
    "return-secret <id>",
    "Make the secret anew by which the merchant knows that the gateway sent a payer back. It is shown once.",
    "faregate merchant return-secret 0193e5b0-…",
  ).action(async (id: string, { json }: Output) => {
    const secret = await withReturns(async (office, author, secretOf) =>
      orRefuse(await renewReturnSecret(office, author, id, secretOf)),
    );
    print(json, { return_secret: secret }, () => details("The secret was made. It is shown this once.", secret));
  });
}

const inputOf = ({ name, refuseCardLikeIdentifiers, requireIpAddress, ...of }: Omit<Given, "json">): unknown =>
  stated({
    name,
    refuse_card_like_identifiers: refuseCardLikeIdentifiers,
    require_ip_address: requireIpAddress,
    card_numbers: of.cardNumbers,
    return_hosts: of.returnHosts,
    verify_cards: of.verifyCards,
  });

interface GivenOfUser extends Output {
  readonly merchant: string;
  readonly name?: string;
  readonly email?: string;
}

export function userCommands(faregate: Command): void {
  const records = group(faregate, "user", "A merchant's users.");

  idOptions(
    leaf(
      records,
      "create",
      "Create a user of a merchant.",
      "faregate user create --merchant 0193e5b0-… --name 'Jane Doe' --email jane@example.com",
    ),
  )
    .requiredOption("--merchant <id>", "the user's merchant")
    .option("--name <name>", "1 to 255 characters")
    .option("--email <address>")
    .action(async ({ json, merchant, name, email, ...given }: GivenOfUser & GivenId) => {
      const input = stated({ name, email, ...idOf(given) });
      const { value: user, existed } = await withOffice(async (office, author) =>
        orRefuseCreated(await createUser(office, author, merchant, input)),
      );
      print(json, { user }, () => details(`User ${user.name} ${existed ? HERE_ALREADY : "was created."}`, user));
    });

  list(records, "List the users of a merchant.", "faregate user list --merchant 0193e5b0-…")
    .requiredOption("--merchant <id>", "whose users")
    .action(async (given: Listed & GivenOfUser) => {
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
