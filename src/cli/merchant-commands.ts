// faregate merchant …
import type { Command } from "commander";
import { changeMerchant, createMerchant, listMerchants } from "../merchants/merchants.ts";
import { group, type Listed, leaf, list, type Output, pageOf, stated, tellOfMore } from "./command.ts";
import { withOffice } from "./office.ts";
import { details, print, table } from "./print.ts";
import { orRefuse } from "./refused.ts";

interface Given extends Output {
  readonly name?: string;
  readonly refuseCardLikeIdentifiers?: boolean;
}

export function merchantCommands(faregate: Command): void {
  const records = group(faregate, "merchant", "Merchants.");

  leaf(records, "create", "Create a merchant.", "faregate merchant create --name 'Northwind Air'")
    .option("--name <name>", "1 to 255 characters")
    .option("--refuse-card-like-identifiers", "refuse order numbers that look like card numbers")
    .action(async ({ json, ...given }: Given) => {
      const merchant = await withOffice(async (office, author) =>
        orRefuse(await createMerchant(office, author, inputOf(given))),
      );
      print(json, { merchant }, () => details(`Merchant ${merchant.name} was created.`, merchant));
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
    "Change the fields of a merchant that you name.",
    "faregate merchant change 0193e5b0-… --name 'Southwind Air'",
  )
    .option("--name <name>", "1 to 255 characters")
    .option("--refuse-card-like-identifiers", "refuse order numbers that look like card numbers")
    .option("--no-refuse-card-like-identifiers", "refuse only the card number of the same request")
    .action(async (id: string, { json, ...given }: Given) => {
      const merchant = await withOffice(async (office, author) =>
        orRefuse(await changeMerchant(office, author, id, inputOf(given))),
      );
      print(json, { merchant }, () => details(`Merchant ${merchant.name} was changed.`, merchant));
    });
}

const inputOf = ({ name, refuseCardLikeIdentifiers }: Omit<Given, "json">): unknown =>
  stated({ name, refuse_card_like_identifiers: refuseCardLikeIdentifiers });
