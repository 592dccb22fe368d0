// A merchant's calls to the gateway. An operation gives the transaction as it is after; a decline is one of them, and no error.

import {
  type GetPage,
  itemsOf,
  pagesOf,
  parametersOf,
  queryOf,
  type TransactionPage,
  transactionsOf,
} from "./lists.ts";
import { type CallOptions, type Connection, send, type WriteOptions } from "./send.ts";
import type {
  AuthFields,
  Batch,
  BatchFilter,
  BatchSummary,
  Card,
  CardChange,
  CardFields,
  CardVerification,
  ChargeFields,
  Dispute,
  DisputeFilter,
  FollowUpFields,
  Movement,
  Period,
  Plan,
  PlanChange,
  PlanFields,
  PlanFilter,
  Processor,
  ReversalFields,
  SaleFields,
  Search,
  Transaction,
  Verification,
} from "./shapes.ts";

export interface ClientOptions {
  /** Where the gateway is: `https://pay.example.com` */
  readonly url: string;
  /** `fg_test_…` or `fg_live_…`. It moves money: keep it out of browsers. */
  readonly token: string;
  /** How long one try may take; default 60 s, the longest that a gateway takes by its own defaults. */
  readonly timeoutMs?: number | undefined;
  /** No try begins later than this after the first; default 30 s. 0: one try. */
  readonly retryForMs?: number | undefined;
  readonly fetch?: typeof fetch | undefined;
}

export interface Client {
  sale(fields: SaleFields, options?: WriteOptions): Promise<Transaction>;
  auth(fields: AuthFields, options?: WriteOptions): Promise<Transaction>;
  /** A sale or an auth, by `transaction_type`. */
  charge(fields: ChargeFields, options?: WriteOptions): Promise<Transaction>;
  /** Without an amount: all that remains. */
  capture(id: string, fields?: FollowUpFields, options?: WriteOptions): Promise<Transaction>;
  void(id: string, fields?: FollowUpFields, options?: WriteOptions): Promise<Transaction>;
  refund(id: string, fields?: FollowUpFields, options?: WriteOptions): Promise<Transaction>;
  /** Gives everything back: a void and, if it is too late for that, a refund. */
  reversal(id: string, fields?: ReversalFields, options?: WriteOptions): Promise<Transaction>;
  transaction(id: string, options?: CallOptions): Promise<Transaction>;
  /**
   * All that match, one by one, each once, from the newest on. What is added meanwhile is not among them.
   * If fewer match while it is read, the next step throws a `ListChangedError`.
   */
  transactions(search?: Search, options?: CallOptions): AsyncIterable<Transaction>;
  /** Page by page, with the total. */
  pages(search?: Search, options?: CallOptions): AsyncIterable<TransactionPage>;
  page(page: number, search?: Search, options?: CallOptions): Promise<TransactionPage>;
  /** Keeps a card on file. */
  storeCard(fields: CardFields, options?: WriteOptions): Promise<Card>;
  /** All that are on file, from the newest on. */
  cards(options?: CallOptions): AsyncIterable<Card>;
  card(id: string, options?: CallOptions): Promise<Card>;
  /** Asks its issuer about it, without money. A decline is no error: `success` is false. */
  verifyCard(id: string, fields?: CardVerification, options?: WriteOptions): Promise<Verification>;
  /** Expiry, names and address: what is left out stays, and null removes a field. */
  changeCard(id: string, change: CardChange, options?: CallOptions): Promise<Card>;
  /** For good, with its number. Where the first response was lost, a `NotFoundError` says that it is gone. */
  deleteCard(id: string, options?: CallOptions): Promise<void>;
  /** An order that is charged in several payments. Nothing is charged before the response. */
  makePlan(fields: PlanFields, options?: WriteOptions): Promise<Plan>;
  /** From the newest on, without passengers. */
  plans(filter?: PlanFilter, options?: CallOptions): AsyncIterable<Plan>;
  plan(id: string, options?: CallOptions): Promise<Plan>;
  /** Gives payments that are not charged other dates. */
  movePlan(id: string, change: PlanChange, options?: CallOptions): Promise<Plan>;
  /** Cancels what is not charged. Again it does no harm. */
  cancelPlan(id: string, options?: CallOptions): Promise<Plan>;
  /** The processor records that a charge can name. */
  processors(options?: CallOptions): Promise<readonly Processor[]>;
  /** Every movement of money of a period, in memory at once: of many sales ask for days. */
  ledger(period: Period, options?: CallOptions): Promise<readonly Movement[]>;
  /** Settlement batches whose cut-off has passed, from the newest on. */
  batches(filter?: BatchFilter, options?: CallOptions): AsyncIterable<BatchSummary>;
  /** With its totals. */
  batch(id: string, options?: CallOptions): Promise<Batch>;
  /** From the newest on. */
  disputes(filter?: DisputeFilter, options?: CallOptions): AsyncIterable<Dispute>;
  dispute(id: string, options?: CallOptions): Promise<Dispute>;
}

/** @throws TypeError if the address or the token is missing */
export function createClient({
  url,
  token,
  timeoutMs = 60_000,
  retryForMs = 30_000,
  fetch: own,
}: ClientOptions): Client {
  if (!/^https?:\/\/[^/]/.test(url)) throw new TypeError("url must be the gateway's, like https://pay.example.com");
  if (typeof token !== "string" || token === "") throw new TypeError("the token is missing");
  // Browsers' own wants to be called on the window.
  const request: typeof fetch = own ?? ((...call) => fetch(...call));
  const connection: Connection = { url: url.replace(/\/+$/, ""), token, timeoutMs, retryForMs, fetch: request };
  const get = <T>(path: string, { signal }: CallOptions) => send<T>(connection, { method: "GET", path, signal });
  const write = <T>(path: string, json: object, { signal, idempotencyKey = crypto.randomUUID() }: WriteOptions) =>
    send<T>(connection, { method: "POST", path, json, idempotencyKey, signal });
  const post = async (path: string, json: object, how: WriteOptions) =>
    unwrapped(await write(TRANSACTIONS + path, json, how));
  const follow =
    (operation: string) =>
    async (id: string, fields: object = {}, how: WriteOptions = {}) =>
      post(`${placeOf(id)}/${operation}`, fields, how);
  const getPage: GetPage = async (search, page, how) => get(`${TRANSACTIONS}?${queryOf(search, page)}`, how);
  const items = <Name extends string, Item extends { readonly id: string }>(
    name: Name,
    filter: object,
    how: CallOptions,
  ) => itemsOf<Name, Item>(name, async (page) => get(`/api/${name}?page=${page}&${parametersOf(filter)}`, how));
  return {
    sale: (fields, how = {}) => post("/sale", fields, how),
    auth: (fields, how = {}) => post("/auth", fields, how),
    charge: (fields, how = {}) => post("", fields, how),
    capture: follow("capture"),
    void: follow("void"),
    refund: follow("refund"),
    reversal: follow("reversal"),
    transaction: async (id, how = {}) => unwrapped(await get(TRANSACTIONS + placeOf(id), how)),
    transactions: (search = {}, how = {}) => transactionsOf(getPage, search, how),
    pages: (search = {}, how = {}) => pagesOf((page) => getPage(search, page, how)),
    page: (page, search = {}, how = {}) => getPage(search, page, how),
    storeCard: async (fields, how = {}) => (await write<OneCard>("/api/cards", fields, how)).card,
    cards: (how = {}) => items("cards", {}, how),
    card: async (id, how = {}) => (await get<OneCard>(`/api/cards${placeOf(id)}`, how)).card,
    verifyCard: async (id, fields = {}, how = {}) =>
      (await write<OneVerification>(`/api/cards${placeOf(id)}/verify`, fields, how)).verification,
    changeCard: async (id, json, { signal } = {}) =>
      (await send<OneCard>(connection, { method: "PATCH", path: `/api/cards${placeOf(id)}`, json, signal })).card,
    deleteCard: async (id, { signal } = {}) =>
      send<void>(connection, { method: "DELETE", path: `/api/cards${placeOf(id)}`, signal }),
    makePlan: async (fields, how = {}) => (await write<OnePlan>("/api/plans", fields, how)).plan,
    plans: (filter = {}, how = {}) => items("plans", filter, how),
    plan: async (id, how = {}) => (await get<OnePlan>(`/api/plans${placeOf(id)}`, how)).plan,
    movePlan: async (id, json, { signal } = {}) =>
      (await send<OnePlan>(connection, { method: "PATCH", path: `/api/plans${placeOf(id)}`, json, signal })).plan,
    cancelPlan: async (id, { signal } = {}) =>
      (await send<OnePlan>(connection, { method: "DELETE", path: `/api/plans${placeOf(id)}`, signal })).plan,
    processors: async (how = {}) =>
      (await get<{ readonly processors: readonly Processor[] }>("/api/processors", how)).processors,
    ledger: async ({ from, to }, how = {}) =>
      (await get<{ readonly movements: readonly Movement[] }>(`/api/ledger?${parametersOf({ from, to })}`, how))
        .movements,
    batches: (filter = {}, how = {}) => items("batches", filter, how),
    batch: async (id, how = {}) => (await get<{ readonly batch: Batch }>(`/api/batches${placeOf(id)}`, how)).batch,
    disputes: (filter = {}, how = {}) => items("disputes", filter, how),
    dispute: async (id, how = {}) =>
      (await get<{ readonly dispute: Dispute }>(`/api/disputes${placeOf(id)}`, how)).dispute,
  };
}

const TRANSACTIONS = "/api/transactions";
type OneVerification = { readonly verification: Verification };
type OneCard = { readonly card: Card };
type OnePlan = { readonly plan: Plan };

/** An empty id would make another path of it: `/api/transactions//refund`. */
function placeOf(id: string): string {
  if (typeof id !== "string" || id === "") throw new TypeError("the id is missing");
  return `/${encodeURIComponent(id)}`;
}

/** Follow-ups of a transaction with airline data come without the envelope. */
const unwrapped = (body: Transaction | { readonly transaction: Transaction }): Transaction =>
  "transaction" in body ? body.transaction : body;
