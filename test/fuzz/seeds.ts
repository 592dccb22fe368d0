// The real requests that are mutated: one of each kind that the API takes, in each format.

import { SECRET_CARD, SECRET_CVV } from "../journeys/harmless.fixture.ts";
import { type Callable, type Json, merchantOf, passenger, sale, THREE_D_SECURE } from "../journeys/merchant.fixture.ts";

export interface Seed {
  readonly method: "GET" | "POST" | "PATCH";
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly token: string;
  readonly body: Json | undefined;
}

const SECRETS = { card_number: SECRET_CARD, card_cvv: SECRET_CVV };

/** Makes what follow-ups need. Card testing is switched off: what is tried here looks like it. */
export async function seedsFor(gateway: Callable): Promise<readonly [Seed, ...Seed[]]> {
  const { api_token, operator_token, merchant_id, other_merchant } = gateway.sandbox;
  const watched = `/operator/merchants/${merchant_id}/card-testing`;
  const { status, text } = await gateway.operator("PATCH", watched, { enabled: false });
  if (status !== 200) throw new Error(text);
  const { charged } = merchantOf(gateway);
  const airline = { amount: "200.00", passenger_transport: [passenger(), passenger()] };
  const plain = (await charged("sale", sale({ amount: 9_999_999 }))).id;
  const authorized = (await charged("auth", sale({ amount: 9_999_999 }))).id;
  const flight = await charged("sale", sale(airline));
  const shares = flight.passengers.map(({ id }: { id: string }) => ({ passenger_id: id, amount: "0.01" }));

  const charge = (path: string, over: Json = {}): Seed => post(path, sale({ ...SECRETS, ...over }));
  const post = (path: string, body: Json): Seed => ({
    method: "POST",
    path: `/api/transactions${path}`,
    query: [],
    token: api_token,
    body,
  });
  const get = (path: string, ...query: Seed["query"]): Seed => ({
    method: "GET",
    path,
    query,
    token: api_token,
    body: undefined,
  });
  const operator = (method: Seed["method"], path: string, body?: Json): Seed => ({
    method,
    path: `/operator${path}`,
    query: [],
    token: operator_token,
    body,
  });
  return [
    charge("/sale"),
    charge("/auth", { ...THREE_D_SECURE, threeds_version: 2 }),
    charge("", { transaction_type: "sale", currency: "USD", meta: { cart: { lines: [1, 2] } } }),
    charge("/sale", airline),
    charge("/sale", {
      ...{ first_name: "Jane", last_name: "Doe", email: "jane@example.com", mobile_phone: "15145550199", city: "Oslo" },
      ...{ street_address_1: "1 Main St", state: "CA", country: "US", zip: "95030", shipping_zip: "95030" },
      ...{ document_number: "111.444.777-35", dynamic_descriptor: "SHOP|1" },
    }),
    post(`/${authorized}/capture`, { amount: "0.01", ip_address: "203.0.113.7" }),
    post(`/${authorized}/void`, { amount: "0.01" }),
    post(`/${plain}/refund`, { amount: "0.01" }),
    post(`/${flight.id}/refund`, { amount: "0.02", passenger_transport: shares }),
    post(`/${plain}/reversal`, {}),
    get("/api/transactions", ["page", "1"], ["search[first_name]", "Jane"], ["search[card_number]", "411111********"]),
    get("/api/transactions", ["search[created_at_gte]", "2031-01-01 00:00:00"], ["format", "csv"]),
    get(`/api/transactions/${plain}`),
    get("/api/processors"),
    operator("POST", "/merchants", { name: "Northwind" }),
    operator("POST", `/merchants/${other_merchant.merchant_id}/users`, { name: "Jane", email: "jane@example.com" }),
    operator("POST", `/merchants/${other_merchant.merchant_id}/tokens`, {
      user_id: other_merchant.user_id,
      scopes: ["read"],
    }),
    operator("POST", `/merchants/${other_merchant.merchant_id}/processors`, {
      ...{ name: "Fuzz", kind: "simulator", currency: "CAD", in_rotation: true, requires: { cvv: ["visa"] } },
      ...{ settlement: { cutoff_at: "22:00", auto_capture_at: null }, settings: { latency_ms: 1 } },
    }),
    operator("PATCH", `/merchants/${other_merchant.merchant_id}/card-testing`, {
      cards_per_range: 20,
      small_amount: "5.00",
    }),
    operator("PATCH", `/merchants/${other_merchant.merchant_id}/routing`, {
      rules: [{ name: "Airline data", when: { airline: true, card_ranges: ["411111-411199"] }, processors: [] }],
    }),
    operator("POST", `/merchants/${merchant_id}/routing/try`, {
      ...{ amount: "10.00", card_start: "41111111", currency: "USD", airline: true, meta: { channel: "app" } },
    }),
    operator("GET", "/audit-log"),
  ];
}
