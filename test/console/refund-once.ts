// What the console sends where a refund was carried out and the response says that this is not known.

import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { type Gateway, type Json, merchantOf, sale } from "../journeys/merchant.fixture.ts";
import { signInByToken, visit } from "./visitor.ts";

export async function refundsOnce(browser: Browser, gateway: Gateway): Promise<void> {
  const { url, sandbox } = gateway;
  const { charged, found } = merchantOf(gateway);
  const { id } = await charged("sale", sale({ amount: "100.00" }));
  const visitor = await visit(browser, url);
  const { page } = visitor;
  await page.goto(`${url}/console/transactions`);
  await signInByToken(visitor, sandbox.api_token);
  const keys: (string | undefined)[] = [];
  await page.route("**/refund", async (route) => {
    keys.push(route.request().headers()["idempotency-key"]);
    const response = await route.fetch();
    if (keys.length > 1) return route.fulfill({ response });
    await route.fulfill({ status: 500, json: { error: { message: { fatal: ["The outcome is not recorded yet."] } } } });
  });
  await visitor.go(`/transactions/${id}`);
  await page.getByRole("button", { name: "Refund" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Amount", exact: true }).fill("30.00");
  await page.getByRole("button", { name: "Refund: 30.00" }).click();
  await page.getByText("It may have been done all the same.").waitFor();
  await page.getByRole("button", { name: "Refund: 30.00" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal(keys.length, 2);
  assert.equal(keys[0], keys[1]);
  assert.ok(keys[0]);
  const refunds = (await found(id)).events.filter(({ event_type }: Json) => event_type === "refund");
  assert.deepEqual(
    refunds.map(({ amount }: Json) => amount),
    ["30.00"],
  );
  await visitor.leave();
}
