// The filters of the list of transactions: they stand in the address, are still there on the way back from a record, take what is pasted
// into them, and say what is wrong.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Gateway } from "../journeys/merchant.fixture.ts";
import { assertAccessible, signInByToken, type Visitor } from "./visitor.ts";

/** Of a merchant with a sale `order-1` and a declined one, `declined`. */
export async function setsFilters(visitor: Visitor, gateway: Gateway): Promise<void> {
  const { page, go } = visitor;
  await go("/transactions");
  await page.getByRole("button", { name: "Filter" }).click();
  const form = page.getByRole("dialog");
  await form.getByRole("combobox", { name: "With an event", exact: true }).click();
  await page.getByRole("option", { name: "Sale", exact: true }).click();
  await form.getByRole("combobox", { name: "With an event that is" }).click();
  await page.getByRole("option", { name: "Declined", exact: true }).click();
  await assertAccessible(visitor, "filters");
  await form.getByRole("button", { name: "Show" }).click();
  await page.getByText("1 transaction", { exact: true }).waitFor();
  await page.getByRole("link", { name: "declined", exact: true }).waitFor();
  const { search } = new URL(page.url());
  assert.equal(search, "?event_type=sale&status=declined");
  await page.getByRole("link", { name: "declined", exact: true }).click();
  await page.getByRole("heading", { name: "What happened" }).waitFor();
  await page.reload();
  await signInByToken(visitor, gateway.sandbox.api_token, "Declined");
  await page.getByRole("main").getByRole("link", { name: "Transactions" }).click();
  await page.getByText("1 transaction", { exact: true }).waitFor();
  assert.equal(new URL(page.url()).search, search);
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await form.getByLabel("First six digits").fill("4000 00");
  await form.getByLabel("Amount").fill("3,56");
  await form.getByRole("button", { name: "Show" }).click();
  await form.getByText("An amount such as 1234.50").waitFor();
  await form.getByLabel("Amount").fill("USD 3.56");
  await form.getByRole("button", { name: "Show" }).click();
  await page.waitForURL(/card_number=400000\*{8}&amount=3\.56&currency=USD/);
  await page.getByText("1 transaction", { exact: true }).waitFor();
  await go(`/transactions${search}`);
  await page.getByText("1 transaction", { exact: true }).waitFor();

  const csv = Promise.withResolvers<void>();
  await page.route("**/api/transactions?*format=csv*", async (route) => {
    await csv.promise;
    await route.continue();
  });
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByRole("menuitem", { name: "CSV for programs" }).click();
  await page.getByRole("button", { name: "Exporting… 0 %" }).waitFor();
  csv.resolve();
  await page.getByText("1 row saved").waitFor();
  const rows = readFileSync(await (await saved).path(), "utf8")
    .trim()
    .split("\n");
  assert.deepEqual([rows.length, rows[1]?.includes("declined")], [2, true]);

  await go("/ledger");
  await page.getByRole("heading", { name: "Ledger" }).waitFor();
  await go(`/transactions${search}`);
  await page.getByText("1 transaction", { exact: true }).waitFor();
  await page.getByRole("button", { name: /^Remove the filter With an event that is: / }).click();
  await page.waitForURL(/\?event_type=sale$/);
  await page.getByRole("link", { name: "order-1", exact: true }).waitFor();
}
