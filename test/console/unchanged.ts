// A list that is asked for again and again is sent once, and what is new shows by itself.

import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import { type Gateway, merchantOf, sale } from "../journeys/merchant.fixture.ts";
import { fromElsewhere, signIn, visit } from "./visitor.ts";

const LIST = "/api/transactions";
export async function isSentOnce(browser: Browser, gateway: Gateway): Promise<void> {
  const { url, sandbox } = gateway;
  const visitor = await visit(browser, url, { extraHTTPHeaders: fromElsewhere() });
  const { page } = visitor;
  await page.clock.install();
  await page.goto(`${url}/console/transactions`);
  await signIn(visitor, sandbox.people.clerk);
  await page.getByRole("link", { name: "order-1" }).waitFor();
  const askedAgain = async () => {
    const answered = page.waitForResponse((response) => new URL(response.url()).pathname === LIST);
    await page.clock.fastForward(5_000);
    const response = await answered;
    return [response.status(), response.headers()["content-length"]] as const;
  };
  for (let times = 0; times < 3; times++) {
    assert.deepEqual(await askedAgain(), [304, undefined]);
    assert.equal(await page.getByRole("link", { name: "order-1" }).count(), 1);
  }
  await merchantOf(gateway).charged("sale", sale({ merchant_transaction_id: "order-new" }));
  assert.equal((await askedAgain())[0], 200);
  await page.getByRole("link", { name: "order-new" }).waitFor();
  assert.equal((await askedAgain())[0], 304);
  assert.deepEqual(visitor.complaints, []);
  await visitor.leave();
}
