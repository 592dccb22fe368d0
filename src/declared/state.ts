// A gateway's state as a file declares it: what `export` writes, and what a gateway is compared with. Without any secret.

import type { Sql } from "../journal/database.ts";
import { MOST_LISTED, type Page } from "../merchants/backoffice.ts";
import { type CardTesting, findCardTesting } from "../merchants/card-testing.ts";
import { CONCEALED } from "../merchants/kind-settings.ts";
import { listMerchants, type Merchant } from "../merchants/merchants.ts";
import type { Processor } from "../merchants/processor-schema.ts";
import { listProcessors } from "../merchants/processors.ts";
import { findRouting } from "../merchants/routing.ts";
import type { Routing } from "../merchants/routing-schema.ts";
import { hashesOfTokens, listTokens, type Token } from "../merchants/tokens.ts";
import { listUsers, type User } from "../merchants/users.ts";
import { listPeople, type PeopleOffice } from "../people/people.ts";
import type { Person } from "../people/person.ts";
import type { Webhook } from "../webhooks/endpoint-schema.ts";
import { listWebhooks } from "../webhooks/endpoints.ts";
import { VERSION } from "./file-schema.ts";

/** A merchant and all that is declared of it, as the API shows it. */
export interface MerchantState {
  readonly merchant: Merchant;
  /** Without people, who are users too. */
  readonly users: readonly User[];
  readonly people: readonly Person[];
  readonly processors: readonly Processor[];
  readonly routing: Routing;
  readonly cardTesting: CardTesting;
  readonly webhooks: readonly Webhook[];
  /** Those in force. */
  readonly tokens: readonly Token[];
}

type Looking = Pick<PeopleOffice, "sql" | "kinds" | "clock">;

export async function stateOf(office: Looking, merchant: Merchant): Promise<MerchantState> {
  const { sql, kinds, clock } = office;
  const { id } = merchant;
  const people = await all((page) => listPeople(sql, page, id));
  const ids = new Set(people.map((one) => one.id));
  const users = (await all((page) => listUsers(sql, id, page))).filter((one) => !ids.has(one.id));
  const now = clock.now();
  const inForce = ({ revoked_at, expires_at }: Token) =>
    revoked_at === null && (expires_at === null || new Date(expires_at) > now);
  const routing = (await findRouting(office, id)) ?? { version: 0, rules: [], attempts_at_most: 1 };
  const cardTesting = await findCardTesting(office, id);
  if (cardTesting === undefined) throw new Error("broken invariant: a merchant that was just read is gone");
  return {
    ...{ merchant, users, people, routing, cardTesting },
    processors: await all((page) => listProcessors({ sql, kinds }, id, page)),
    webhooks: await all((page) => listWebhooks(sql, id, page)),
    tokens: (await all((page) => listTokens(sql, id, page))).filter(inForce),
  };
}

export const allMerchants = (sql: Sql): Promise<Merchant[]> => all((page) => listMerchants(sql, page));

export const allOperators = async (sql: Sql): Promise<Person[]> =>
  (await all((page) => listPeople(sql, page))).filter(({ merchant_id }) => merchant_id === null);

async function all<T extends { readonly id: string }>(list: (page: Page) => Promise<T[] | undefined>): Promise<T[]> {
  const found: T[] = [];
  for (let after: string | undefined; ; ) {
    const part = (await list(after === undefined ? {} : { after })) ?? [];
    found.push(...part);
    after = part.at(-1)?.id;
    if (part.length < MOST_LISTED || after === undefined) return found;
  }
}

/** The tree that a file of all this has, in one order. @param only the id of the one merchant that is wanted */
export async function exported(office: Looking, only?: string): Promise<object> {
  const { sql } = office;
  const merchants = (await allMerchants(sql)).filter(({ id }) => only === undefined || id === only);
  const names = envNames();
  const trees: object[] = [];
  for (const merchant of merchants) trees.push(await merchantTree(office, await stateOf(office, merchant), names));
  if (only !== undefined) return { version: VERSION, partial: true, merchants: trees };
  const operators = (await allOperators(sql)).map(personTree);
  return { version: VERSION, operators, merchants: trees };
}

async function merchantTree({ sql }: Looking, state: MerchantState, names: EnvNames): Promise<object> {
  const { created_at: _, ...merchant } = state.merchant;
  const hashes = await hashesOfTokens(sql, merchant.id);
  return {
    ...merchant,
    users: state.users.map(({ id, name, email }) => ({ id, name, email })),
    people: state.people.map(personTree),
    processors: state.processors.map((one) => processorTree(one, merchant.name, names)),
    routing: { attempts_at_most: state.routing.attempts_at_most, rules: state.routing.rules },
    card_testing: state.cardTesting,
    webhooks: state.webhooks.map(({ id, url, event_types, enabled }) => ({ id, url, event_types, enabled })),
    tokens: state.tokens.map(({ id, user_id, scopes, rate_limit_per_minute, expires_at }) => ({
      ...{ id, user_id, scopes, rate_limit_per_minute, expires_at },
      secret_hash: hashes.get(id),
    })),
  };
}

const personTree = ({ id, name, email, role, locked }: Person): object => ({ id, name, email, role, locked });

function processorTree(processor: Processor, merchant: string, names: EnvNames): object {
  const { merchant_id: _, created_at: _c, updated_at: _u, settings, ...rest } = processor;
  const shown = Object.entries(settings)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => [name, value === CONCEALED ? { env: names(merchant, processor.name, name) } : value]);
  return { ...rest, settings: Object.fromEntries(shown) };
}

type EnvNames = (...parts: readonly string[]) => string;

/** `NORTHWIND_AIR_STRIPE_SECRET_KEY`, each once. */
function envNames(): EnvNames {
  const used = new Map<string, number>();
  return (...parts) => {
    const slug = parts.map((part) =>
      part
        .normalize("NFKD")
        .replace(/[^A-Za-z0-9]+/g, "_")
        .replace(/^_|_$/g, "")
        .toUpperCase(),
    );
    const words = slug.filter((part) => part !== "").join("_");
    const name = /^[0-9]/.test(words) ? `_${words}` : words;
    const nth = (used.get(name) ?? 0) + 1;
    used.set(name, nth);
    return nth === 1 ? name : `${name}_${nth}`;
  };
}

/** Each environment variable that the tree names. */
export function envNamesIn(tree: unknown): string[] {
  if (Array.isArray(tree)) return tree.flatMap(envNamesIn);
  if (typeof tree !== "object" || tree === null) return [];
  const { env, ...others } = tree as { readonly env?: unknown };
  return typeof env === "string" && Object.keys(others).length === 0 ? [env] : Object.values(tree).flatMap(envNamesIn);
}
