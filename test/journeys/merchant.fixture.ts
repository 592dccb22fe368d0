// What journeys of a merchant share: bodies that are right, processor records, charges and what follows them.

import assert from "node:assert/strict";
import type { Answer, Request, startTestGateway } from "./gateway.ts";

export type Gateway = Awaited<ReturnType<typeof startTestGateway>>;
/** A gateway wherever it runs, by what can be asked of it. */
export type Callable = Pick<Gateway, "sandbox" | "call" | "post" | "get" | "operator">;
export type Json = Readonly<Record<string, unknown>>;
export type ChargePath = "sale" | "auth";
export type FollowUpPath = "capture" | "void" | "refund" | "reversal";

export const NOBODY = "00000000-0000-7000-8000-000000000000";

export const CARD = {
  card_number: "4111111111111111",
  card_expiry_month: "12",
  card_expiry_year: "2039",
} as const;

/** Without a processor: one of the sandbox's two in rotation takes it. */
export const sale = (over: Json = {}): Json => ({
  amount: "3.56",
  ...CARD,
  merchant_transaction_id: "order",
  ip_address: "203.0.113.7",
  ...over,
});

export const leg = (over: Json = {}): Json => ({
  carrier_code: "AC",
  service_class: "Y",
  departure_airport: "YUL",
  destination_airport: "YYZ",
  departure_date: "2031-05-01",
  flight_number: "0405",
  fare_basis: "YLX3",
  fare: "100.00",
  ...over,
});

/** One leg of 100.00 unless told otherwise. */
export const passenger = (over: Json = {}): Json => ({
  ticket_number: "0141234567890",
  ticket_issuing_carrier_name: "Air Example",
  ticket_issuing_carrier_code: "AC",
  ticket_issuing_city: "Montreal",
  ticket_issuing_date: "2031-04-01",
  passenger_name: "DOE/JANE",
  restricted_ticket_indicator: false,
  legs: [leg()],
  ...over,
});

export const THREE_D_SECURE = {
  threeds_enabled: true,
  threeds_xid: "MDAwMDAwMDAwMDAwMDAwMDAwMDE=",
  threeds_eci: "05",
  threeds_cavv: "AAABBEg0VhI0VniQEjRWAAAAAAA=",
  threeds_status: "Y",
} as const;

/** Minor units as the API writes them: `356` is `3.56`. */
export const money = (minor: number): string => (minor / 100).toFixed(2);

/** Wrapped or bare: whether there are passengers decides. */
export const transactionOf = ({ body }: Answer) => body.transaction ?? body;

/** Fails unless the answer has this status; the message is the answer. */
export function expectStatus(answer: Answer, status: number): Answer {
  assert.equal(answer.status, status, answer.text);
  return answer;
}

export function merchantOf(gateway: Callable) {
  const { merchant_id, user_id } = gateway.sandbox;
  const created = async (path: string, json: Json) =>
    expectStatus(await gateway.operator("POST", `/operator/merchants${path}`, json), 201).body;

  return {
    /** A simulator's record of the sandbox's merchant, not in rotation unless asked for. @returns its id */
    processor: async (over: Json = {}): Promise<string> =>
      (await created(`/${merchant_id}/processors`, { name: "Test", kind: "simulator", currency: "USD", ...over }))
        .processor.id,
    /** @returns the secret */
    token: async (over: Json = {}): Promise<string> =>
      (await created(`/${merchant_id}/tokens`, { user_id, scopes: ["charge", "follow_up", "read", "cards"], ...over }))
        .token.secret,
    charge: (path: ChargePath, json: Json, request: Request = {}) =>
      gateway.post(`/api/transactions/${path}`, json, request),
    charged: async (path: ChargePath, json: Json) =>
      transactionOf(expectStatus(await gateway.post(`/api/transactions/${path}`, json), 200)),
    follow: (id: string, path: FollowUpPath, json?: Json, request: Request = {}) =>
      gateway.post(`/api/transactions/${id}/${path}`, json, request),
    found: async (id: string) => transactionOf(expectStatus(await gateway.get(`/api/transactions/${id}`), 200)),
  };
}

export interface OwnMerchant {
  readonly token: string;
  readonly merchantId: string;
  readonly userId: string;
  /** Ids, in the order in which they were asked for. */
  readonly processors: readonly string[];
}

/** A merchant beside the sandbox's own, with these processor records, all of them in rotation unless told otherwise. */
export async function newMerchant(
  gateway: Pick<Callable, "operator">,
  ...records: readonly Json[]
): Promise<OwnMerchant> {
  const made = async (path: string, json: Json) =>
    expectStatus(await gateway.operator("POST", `/operator/merchants${path}`, json), 201).body;
  const { id: merchantId } = (await made("", { name: "Own" })).merchant;
  const { id: userId } = (await made(`/${merchantId}/users`, { name: "Jane", email: "jane@example.com" })).user;
  const scopes = ["charge", "follow_up", "read", "cards"];
  const { secret: token } = (await made(`/${merchantId}/tokens`, { user_id: userId, scopes })).token;
  const processors: string[] = [];
  for (const record of records) {
    const whole = { name: "Own", kind: "simulator", currency: "USD", in_rotation: true, ...record };
    processors.push((await made(`/${merchantId}/processors`, whole)).processor.id);
  }
  return { token, merchantId, userId, processors };
}
