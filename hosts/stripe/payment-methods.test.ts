// Card numbers at the host: as Stripe's published document has it, they go into payment methods alone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SECRET_KEY, testHost } from "../../test/conformance/stripe-subject.ts";
import type { Host } from "./host.ts";

let host: Host;
before(async () => {
  host = await testHost();
});
after(() => host.stop());

async function post(path: string, body: string) {
  const headers = { authorization: `Bearer ${SECRET_KEY}`, "stripe-version": "2026-10-28.endive" };
  const response = await fetch(`http://127.0.0.1:${host.port}${path}`, { method: "POST", headers, body });
  const { id = "", status, error } = (await response.json()) as Answer;
  return { http: response.status, id, said: error?.message ?? status };
}
interface Answer {
  readonly id?: string;
  readonly status?: string;
  readonly error?: { readonly message: string };
}

const CARD = "type=card&card[number]=4242424242424242&card[exp_month]=12&card[exp_year]=2099";

test("a payment is confirmed with a payment method, and with nothing that has a card number", async () => {
  const { id } = await post("/v1/payment_intents", "amount=1000&currency=usd");
  const confirm = `/v1/payment_intents/${id}/confirm`;
  const inline = await post(confirm, CARD.replaceAll("card[", "payment_method_data[card]["));
  assert.deepEqual([inline.http, inline.said], [400, "Received unknown parameter: payment_method_data[card]"]);
  const unknown = await post(confirm, "payment_method=pm_1");
  assert.deepEqual([unknown.http, unknown.said], [404, "No such PaymentMethod: 'pm_1'"]);
  const method = await post("/v1/payment_methods", CARD);
  const confirmed = await post(confirm, `payment_method=${method.id}`);
  assert.deepEqual([confirmed.http, confirmed.said], [200, "succeeded"]);
});

test("a number that is none makes no payment method", async () => {
  const { http, id, said } = await post("/v1/payment_methods", CARD.replace("4242&", "4241&"));
  assert.deepEqual([http, id, said], [402, "", "Your card is not valid."]);
});
