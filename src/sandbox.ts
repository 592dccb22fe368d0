// What the sandbox holds from its first start on: two merchants, their tokens and a set of simulated processors, so that a
// first request works a minute after the download. Written to `sandbox.json` in the data folder, and found again there.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writeWhole } from "./data-folder.ts";
import type { Author, Backoffice, Conflict, Done, Existed, Invalid, Unknown } from "./merchants/backoffice.ts";
import { createMerchant } from "./merchants/merchants.ts";
import { createOperatorToken } from "./merchants/operator-tokens.ts";
import { createProcessor } from "./merchants/processors.ts";
import { createToken } from "./merchants/tokens.ts";
import { createUser } from "./merchants/users.ts";
import { createOperator, createPerson, type PeopleOffice } from "./people/people.ts";
import { isOperator, ROLES, type Role } from "./people/roles.ts";
import { reasonOf, StartFault } from "./start-fault.ts";

/** The file's content. The secrets in it open the sandbox only. */
export interface Sandbox extends SandboxIds {
  readonly base_url: string;
  readonly operator_token: string;
  readonly api_token: string;
  readonly other_merchant: SandboxIds["other_merchant"] & { readonly api_token: string };
  /** Who can sign in, one of each role. */
  readonly people: SandboxPeople;
}

export type SandboxPeople = Readonly<Record<Role, { readonly email: string; readonly password: string }>>;

/** What lasts as long as the database. */
interface SandboxIds {
  readonly merchant_id: string;
  readonly user_id: string;
  readonly other_merchant: { readonly merchant_id: string; readonly user_id: string };
  readonly processors: Readonly<Record<string, string>>;
}

const AUTHOR: Author = { actor: "sandbox", source: "first start" };
const SCOPES = ["charge", "follow_up", "read", "cards"];
/** Shorter than the default of 20 s, so that trying out an unanswered charge does not take long. */
const SETTINGS = { timeout_ms: 2_000 };

const PROCESSORS = {
  usd: { name: "USD", currency: "USD", in_rotation: true },
  usd_backup: { name: "USD backup", currency: "USD", in_rotation: true },
  cad: { name: "CAD", currency: "CAD" },
  cvv: { name: "CVV required", currency: "USD", requires: { cvv: ["visa", "mastercard", "amex"] } },
  prepaid: { name: "Prepaid: names required", currency: "USD", requires: { names: true } },
  brl: { name: "BRL: tax id required", currency: "BRL", requires: { document: true } },
};

export const sandboxFile = (dataFolder: string): string => join(dataFolder, "sandbox.json");

/** Creates what is missing and writes the file anew if anything in it changed. Safe on several nodes. */
export async function prepareSandbox(office: PeopleOffice, dataFolder: string, baseUrl: string): Promise<Sandbox> {
  const ids = await idsOf(office);
  const before = readSandbox(dataFolder);
  const same = before !== undefined && before.merchant_id === ids.merchant_id;
  const sandbox: Sandbox = {
    base_url: baseUrl,
    // Of secrets only hashes are kept: without the file there are new ones.
    operator_token: same
      ? before.operator_token
      : made(await createOperatorToken(office, AUTHOR, { name: "Sandbox" })).secret,
    api_token: same ? before.api_token : await newToken(office, ids.merchant_id, ids.user_id),
    merchant_id: ids.merchant_id,
    user_id: ids.user_id,
    other_merchant: {
      api_token: same
        ? before.other_merchant.api_token
        : await newToken(office, ids.other_merchant.merchant_id, ids.other_merchant.user_id),
      ...ids.other_merchant,
    },
    processors: ids.processors,
    people: (same ? before.people : undefined) ?? (await newPeople(office, ids.merchant_id)),
  };
  const text = `${JSON.stringify(sandbox, null, 2)}\n`;
  if (!same || JSON.stringify(before) !== JSON.stringify(sandbox)) writeWhole(sandboxFile(dataFolder), text, 0o600);
  return sandbox;
}

/** Of the sandbox that this database holds, created now if there is none. */
async function idsOf(office: Backoffice): Promise<SandboxIds> {
  const found = await storedIds(office);
  if (found !== undefined) return found;
  const created = await createIds(office);
  await office.sql`
    insert into installation (name, value) values ('sandbox', ${office.sql.json({ ...created })}) on conflict do nothing`;
  // Of two first starts on one database the faster one's sandbox counts.
  return (await storedIds(office)) ?? created;
}

async function storedIds({ sql }: Backoffice): Promise<SandboxIds | undefined> {
  const [row] = await sql<{ value: SandboxIds }[]>`select value from installation where name = 'sandbox'`;
  return row?.value;
}

async function createIds(office: Backoffice): Promise<SandboxIds> {
  const [main, other] = [await newMerchant(office, "Sandbox Merchant"), await newMerchant(office, "Other Merchant")];
  const processors: Record<string, string> = {};
  for (const [key, record] of Object.entries(PROCESSORS)) {
    const input = { kind: "simulator", settings: SETTINGS, ...record };
    processors[key] = made(await createProcessor(office, AUTHOR, main.merchant_id, input)).id;
  }
  return { ...main, other_merchant: other, processors };
}

async function newMerchant(office: Backoffice, name: string) {
  const merchant = made(await createMerchant(office, AUTHOR, { name }));
  const email = `${name.toLowerCase().replace(" ", ".")}@example.com`;
  const user = made(await createUser(office, AUTHOR, merchant.id, { name, email }));
  return { merchant_id: merchant.id, user_id: user.id };
}

/** Their passwords are for good: there is nothing here to protect. Where the file is lost, there are others with new addresses. */
async function newPeople(office: PeopleOffice, merchantId: string): Promise<SandboxPeople> {
  const [row] = await office.sql<{ there: number }[]>`select count(*)::int as there from people`;
  const nth = row?.there ? `-${row.there}` : "";
  const people: [Role, { email: string; password: string }][] = [];
  for (const role of ROLES) {
    const email = `${role.replace("_", "-")}${nth}@example.com`;
    const input = { name: `Sandbox ${role.replace("_", " ")}`, email, role };
    const { id, password } = made(
      isOperator(role)
        ? await createOperator(office, AUTHOR, input)
        : await createPerson(office, AUTHOR, merchantId, input),
    );
    await office.sql`update people set must_change_password = false where id = ${id}`;
    people.push([role, { email, password }]);
  }
  return Object.fromEntries(people) as SandboxPeople;
}

const newToken = async (office: Backoffice, merchantId: string, user_id: string): Promise<string> =>
  made(await createToken(office, AUTHOR, merchantId, { user_id, scopes: SCOPES })).secret;

function made<T>(result: Done<T> | Existed<object> | Conflict | Invalid | Unknown): T {
  if (result.kind !== "done")
    throw new Error(`broken invariant: the sandbox's own input is wrong: ${JSON.stringify(result)}`);
  return result.value;
}

/** Undefined if there is none. Its tokens are kept nowhere else, so none is made beside them. @throws StartFault */
export function readSandbox(dataFolder: string): Sandbox | undefined {
  const file = sandboxFile(dataFolder);
  if (!existsSync(file)) return undefined;
  try {
    const found = JSON.parse(readFileSync(file, "utf8")) as Partial<Sandbox> | null;
    const complete = found?.api_token && found.operator_token && found.other_merchant?.api_token && found.merchant_id;
    if (complete) return found as Sandbox;
  } catch (fault) {
    if (!(fault instanceof SyntaxError))
      throw new StartFault(`Cannot read ${file}: ${reasonOf(fault)}. Let this user read it.`);
  }
  throw new StartFault(
    `${file} is damaged: it is not the JSON that the gateway wrote. Repair, restore or remove it. If you remove it, it is written ` +
      "again with new tokens; the old ones stay valid until they are revoked (npx faregate token revoke).",
  );
}
