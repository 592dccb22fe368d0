// What a page takes for granted: what its reader has by then, and what stands in a test for what only the reader has.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPool } from "../../src/journal/database.ts";
import { SUPERUSER } from "../../src/journal/embedded/cluster.ts";
import { commandLineOfItsOwn } from "../command-line.ts";
import type { startTestGateway } from "../journeys/gateway.ts";
import { merchantOf, passenger, sale } from "../journeys/merchant.fixture.ts";
import { blocksOf } from "./shown.ts";

export interface Ground {
  readonly gateway: Awaited<ReturnType<typeof startTestGateway>>;
  /** Where the page's commands run. */
  readonly folder: string;
  /** The address of a merchant's server on this machine. */
  readonly shop: string;
  /** What is to be ended with the page. */
  readonly later: (end: () => Promise<unknown>) => void;
}

interface Prepared {
  /** Variables that are set. */
  readonly given?: Readonly<Record<string, string>>;
  /** Texts of the page that are others here, the longer ones first. */
  readonly instead?: Readonly<Record<string, string>>;
}

type Prepare = (ground: Ground) => Promise<Prepared>;

const ACQUIRER = {
  host: "127.0.0.1",
  port: 9,
  terminal_id: "TERM0001",
  merchant_id: "MERCHANT0000001",
  acquirer_id: "123456",
};
const NO_BOOKS = "at,operation,terminal,merchant,rrn,amount,currency,code,transaction\n";

/** A record whose acquirer has sent the books of a day on which nothing was sold. */
const books: Prepare = async ({ gateway, folder }) => {
  const record = { kind: "iso8583", currency: "EUR", settings: ACQUIRER };
  const PROCESSOR = await merchantOf(gateway).processor(record);
  writeFileSync(join(folder, "books.csv"), NO_BOOKS);
  return { given: { PROCESSOR } };
};

/** A webhook of the merchant's. */
const webhook: Prepare = async ({ gateway, shop }) => {
  const path = `/operator/merchants/${gateway.sandbox.merchant_id}/webhooks`;
  const { body } = await gateway.operator("POST", path, { url: shop });
  return { given: { WEBHOOK: body.webhook.id }, instead: { "https://shop.example.com/faregate": shop } };
};

/** An empty database, as PostgreSQL makes it. */
const database: Prepare = async ({ later }) => {
  const { live, end, database } = await commandLineOfItsOwn();
  const superuser = openPool({ ...database.address, user: SUPERUSER });
  await superuser`create role faregate_gateway`;
  later(async () => {
    await superuser`drop owned by faregate_gateway`;
    await superuser`drop role faregate_gateway`;
    await superuser.end();
    await end();
  });
  const url = live.DATABASE_URL ?? "";
  const shown = "postgres://faregate:secret@db.example.com:5432/faregate";
  const { host, pathname } = new URL(url);
  return {
    instead: {
      [`${shown}?sslmode=verify-full`]: url,
      [shown]: url,
      "db.example.com:5432/faregate": `${host}${pathname}`,
    },
  };
};

/** The two records of the page's rules, under its ids. */
const records: Prepare = async ({ gateway }) => {
  const { merchant } = (await gateway.operator("POST", "/operator/merchants", { name: "Northwind Air" })).body;
  const record = { kind: "simulator", currency: "CAD", in_rotation: true };
  for (const [id, name] of [
    ["0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77", "Acquirer in Canada"],
    ["0193e5b1-2d4f-7b60-8a11-94c1d07e52b3", "Spare"],
  ])
    await gateway.operator("POST", `/operator/merchants/${merchant.id}/processors`, { ...record, id, name });
  return { given: { MERCHANT: merchant.id } };
};

/** Files with the secrets of a processor, and a record that has one of them. */
const secrets =
  (files: Readonly<Record<string, string>>, record: object): Prepare =>
  async ({ gateway, folder }) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return { given: { PROCESSOR: await merchantOf(gateway).processor({ ...record }) } };
  };

/** The file of the page with the two mistakes that it shows. */
const wrongImport: Prepare = async ({ folder }) => {
  const { text = "" } = blocksOf("docs/importing.md").find(({ note }) => note === "file: merchants.json") ?? {};
  const wrong = text.replace('"USD"', '"usd"').replace(/("user_id": ".*)2"/, '$19"');
  writeFileSync(join(folder, "wrong.json"), wrong);
  writeFileSync(join(folder, "stripe.key"), "sk_test_local0000");
  return {};
};

/** A sale in Canadian dollars, and one of the merchant's bookings. */
const transactions: Prepare = async ({ gateway }) => {
  const merchant = merchantOf(gateway);
  const { id: ID } = await merchant.charged(
    "sale",
    sale({ amount: "80.00", processor_id: gateway.sandbox.processors.cad }),
  );
  const booking = sale({ amount: "100.00", passenger_transport: [passenger()] });
  const { id: BOOKING, passengers } = await merchant.charged("auth", booking);
  return { given: { ID, BOOKING, PASSENGER: passengers[0].id } };
};

const all =
  (...parts: readonly Prepare[]): Prepare =>
  async (ground) => {
    const prepared = await Promise.all(parts.map((part) => part(ground)));
    const joined = (name: keyof Prepared) => Object.assign({}, ...prepared.map((one) => one[name]));
    return { given: joined("given"), instead: joined("instead") };
  };

const PAGES: Readonly<Record<string, Prepare>> = {
  "README.md": database,
  "docs/api.md": transactions,
  "docs/cli.md": all(webhook, async (ground) => {
    const { given } = await books(ground);
    return { given: { ACQUIRER: given?.PROCESSOR ?? "" } };
  }),
  "docs/disputes.md": async ({ gateway }) => {
    const { id: TRANSACTION } = await merchantOf(gateway).charged("sale", sale({ amount: "120.00" }));
    return { given: { TRANSACTION } };
  },
  "docs/importing.md": all(wrongImport, async ({ gateway }) => ({ given: { JANE: gateway.sandbox.user_id } })),
  "docs/operating.md": all(database, books),
  "docs/processors/adyen.md": secrets({ "api-key": "test-key", "hmac-key": "a1".repeat(32) }, {}),
  "docs/processors/stripe.md": secrets(
    { "stripe-key.txt": "sk_test_local0000", "webhook-secret.txt": "whsec_local0000" },
    { kind: "stripe", settings: { secret_key: "sk_test_local0000" } },
  ),
  "docs/reconciliation.md": books,
  "docs/routing.md": records,
  "docs/webhooks.md": webhook,
};

/** What every page may name, and what this one does. */
export async function prepare(page: string, ground: Ground): Promise<Required<Prepared>> {
  const { api_token, operator_token, merchant_id } = ground.gateway.sandbox;
  const { given = {}, instead = {} } = (await PAGES[page]?.(ground)) ?? {};
  const known = { TOKEN: api_token, OPERATOR: operator_token, MERCHANT: merchant_id };
  return { given: { ...known, ...given }, instead };
}
