// Journeys of those who look after the gateway and its people: disputes, what is in doubt, the audit log, people, merchants.

import assert from "node:assert/strict";
import { test } from "node:test";
import { browser as visitorOf } from "../browser.ts";
import { until } from "../journeys/crash.fixture.ts";
import { type Gateway, merchantOf, sale } from "../journeys/merchant.fixture.ts";
import { assertAccessible, fromElsewhere, type inOnePage, type Visitor } from "./visitor.ts";

interface Stage {
  readonly gateway: Gateway;
  readonly visit: ReturnType<typeof inOnePage>;
  readonly arrive: (path?: string) => Promise<Visitor>;
  readonly signIn: (visitor: Visitor, who: { readonly email: string; readonly password: string }) => Promise<void>;
}

/** @param stage of a gateway that is there when the tests run */
export function steeringJourneys(stage: () => Stage): void {
  /** By the address of the page that is shown. */
  const idIn = (visitor: Visitor) => new URL(visitor.page.url()).pathname.split("/").at(-1) ?? "";

  test("an operator enters a dispute, finds it by its due date, and ends it; the audit log says so", async () => {
    const { gateway, arrive, signIn } = stage();
    const { id } = await merchantOf(gateway).charged("sale", sale({ merchant_transaction_id: "disputed" }));
    const visitor = await arrive(`/transactions/${id}`);
    const { page, go } = visitor;
    await signIn(visitor, gateway.sandbox.people.operator);
    await page.getByRole("button", { name: "Enter a dispute" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Disputed").fill("nothing");
    await page.getByLabel("The network's code").fill("13.1");
    await page.getByLabel("Respond by").fill("2099-01-31");
    await page.getByRole("button", { name: "Enter it" }).click();
    await page.getByText("must be an amount").first().waitFor();
    await dialog.getByLabel("Disputed").fill("3.56");
    await assertAccessible(visitor, "a dispute by hand");
    await page.getByRole("button", { name: "Enter it" }).click();
    await page.getByRole("link", { name: "Chargeback" }).waitFor();
    await go("/disputes?respond_by_lte=2099-01-30");
    await page.getByText("Nothing matches").waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByRole("combobox", { name: "Status" }).click();
    await page.getByRole("option", { name: "Needs a response" }).click();
    await page.waitForURL(/status=needs_response/);
    await page.getByRole("link", { name: "disputed", exact: true }).click();
    await page.getByText("Merchandise or services not received").waitFor();
    await page.getByText("31 Jan 2099, 23:59 UTC").waitFor();
    await page.getByRole("button", { name: "Change by hand" }).click();
    await page.getByRole("dialog").getByRole("combobox", { name: "Status" }).click();
    await page.getByRole("option", { name: "Won" }).click();
    await page.getByRole("button", { name: "Change it" }).click();
    await page.getByText("It ended in your favour.").waitFor();
    const { dispute } = (await gateway.get(`/api/disputes/${idIn(visitor)}`)).body;
    assert.deepEqual([dispute.status, dispute.outcome, dispute.amount], ["ended", "won", "3.56"]);
    await page.getByRole("link", { name: "What was entered by hand" }).click();
    await page.getByRole("button", { name: "Dispute changed" }).click();
    await page.getByText("needs_response", { exact: true }).waitFor();
    assert.equal(await page.getByRole("button", { name: /^Dispute/ }).count(), 2);
    await assertAccessible(visitor, "an entry of the audit log");
    await visitor.leave();
  });

  test("what is in doubt says since when and what each attempt came to, and its processor can be switched off", async () => {
    const { gateway, arrive, signIn } = stage();
    const merchant = merchantOf(gateway);
    const silent = await merchant.processor({
      name: "Silent",
      settings: { silent_operations: ["capture"], timeout_ms: 100 },
    });
    const { id } = await merchant.charged("auth", sale({ processor_id: silent, merchant_transaction_id: "doubtful" }));
    await gateway.post(`/api/transactions/${id}/capture`);
    const visitor = await arrive("/unresolved");
    const { page } = visitor;
    await signIn(visitor, gateway.sandbox.people.operator);
    await page.getByRole("row").filter({ hasText: "doubtful" }).getByRole("button", { name: "Capture" }).click();
    await page.getByText("It is asked again under its own reference").waitFor();
    await page.getByText("no answer within 100 ms").nth(1).waitFor();
    await assertAccessible(visitor, "unresolved");
    await page.getByRole("button", { name: "Switch the processor off" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Switch the processor off" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    const { processor } = (await gateway.operator("GET", `/operator/processors/${silent}`)).body;
    assert.equal(processor.enabled, false);
    await page.getByRole("link", { name: "doubtful" }).click();
    await page.getByText("The outcome of an operation is not known yet").waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Enter how it ended" }).click();
    const enter = page.getByRole("button", { name: "Enter it" });
    await page.getByLabel("Where you saw that").fill("card 4111 1111 1111 1111");
    assert.equal(await enter.isDisabled(), true);
    await page.getByRole("combobox", { name: "Outcome at the processor" }).click();
    await page.getByRole("option", { name: "Declined" }).click();
    await enter.click();
    await page.getByText("must not hold a card number", { exact: true }).waitFor();
    await assertAccessible(visitor, "how an operation ended");
    await page.getByLabel("Where you saw that").fill("the processor's site");
    await enter.click();
    await page.getByText("Nothing is in doubt").waitFor();
    assert.equal((await merchant.found(id)).events[0].status, "declined");
    await visitor.leave();
  });

  test("a merchant's administrator invites somebody, gives another first password, and switches the account off", async () => {
    const { gateway, arrive, signIn } = stage();
    const email = "carl@example.com";
    const visitor = await arrive("/people");
    const { page } = visitor;
    await signIn(visitor, gateway.sandbox.people.merchant_admin);
    await page.getByRole("button", { name: "Invite somebody" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Carl Doe");
    await page.getByLabel("E-mail", { exact: true }).fill(gateway.sandbox.people.clerk.email);
    await page.getByRole("combobox", { name: "Role" }).click();
    await page.getByRole("option", { name: "Clerk" }).click();
    await page.getByRole("button", { name: "Make a first password" }).click();
    await page.getByText("is the e-mail of another person").waitFor();
    await page.getByLabel("E-mail", { exact: true }).fill(email);
    await page.getByRole("button", { name: "Make a first password" }).click();
    const shown = page.getByRole("button", { name: "Copy the password" });
    const first = await shown.innerText();
    await assertAccessible(visitor, "a first password");
    await page.getByRole("button", { name: "I have saved it" }).click();
    assert.equal((await visitorOf(gateway).signIn({ email, password: first }, fromElsewhere())).status, 201);
    assert.equal(await page.getByRole("heading", { name: "Operators" }).count(), 0);

    await page.getByRole("link", { name: "Carl Doe" }).click();
    await page.getByRole("button", { name: "Reset the password" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Reset the password" }).click();
    const second = await shown.innerText();
    assert.notEqual(second, first);
    await page.getByRole("button", { name: "I have saved it" }).click();
    const carl = visitorOf(gateway);
    assert.equal((await carl.signIn({ email, password: first }, fromElsewhere())).status, 401);
    assert.equal((await carl.signIn({ email, password: second }, fromElsewhere())).body.session.person.role, "clerk");
    await page.getByRole("button", { name: "Switch off" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Switch off" }).click();
    await page.getByText("Switched off", { exact: true }).waitFor();
    await until("the session has ended", async () => (await carl.get("/session")).status === 401);
    await visitor.leave();
  });

  test("an operator makes a merchant and a user of it, and looks at it", async () => {
    const { gateway, arrive, signIn } = stage();
    const visitor = await arrive("/merchants");
    const { page } = visitor;
    await signIn(visitor, gateway.sandbox.people.operator);
    await page.getByLabel("Name").fill("Northwind Air");
    await page.getByRole("button", { name: "Create the merchant" }).click();
    await page.getByRole("switch", { name: "A sale must name the customer's IP address" }).press("Space");
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await page.getByRole("switch", { name: "IP address", checked: false }).waitFor();
    const id = idIn(visitor);
    await until("it is changed", async () => {
      const { merchant } = (await gateway.operator("GET", `/operator/merchants/${id}`)).body;
      return merchant.name === "Northwind Air" && merchant.require_ip_address === false;
    });
    await page.getByRole("button", { name: "Look at this merchant" }).click();
    await page.getByRole("link", { name: "People" }).click();
    await page.getByText("Nobody").first().waitFor();
    await page.getByLabel("Name of a new user").fill("Shop");
    await page.getByLabel("Its e-mail").fill("shop@example.com");
    await page.getByRole("button", { name: "Create the user" }).click();
    await page.getByRole("cell", { name: "Shop", exact: true }).waitFor();
    await visitor.leave();
  });
}

/** Wrong times and numbers are refused at their fields, right ones are saved, and a new record takes the settings of its kind. */
export async function changeProcessor(visitor: Visitor, gateway: Gateway, name: string): Promise<void> {
  const { page, go } = visitor;
  await page.getByRole("link", { name, exact: true }).click();
  await page.getByLabel("Cut-off at").fill("25:00");
  await page.getByLabel("latency_ms").fill("soon");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("must be a time of day from 00:00 to 23:59 (UTC)").first().waitFor();
  await page.getByText("must be a whole number from 0 to 60000").first().waitFor();
  await assertAccessible(visitor, "a processor that is wrong");
  await page.getByLabel("Cut-off at").fill("21:00");
  await page.getByLabel("latency_ms").fill("5");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved. It applies within a second.").waitFor();
  const { processors } = (
    await gateway.operator("GET", `/operator/merchants/${gateway.sandbox.merchant_id}/processors`)
  ).body;
  const changed = processors.find((one: { name: string }) => one.name === name);
  assert.deepEqual([changed.settlement.cutoff_at, changed.settings], ["21:00", { latency_ms: 5 }]);
  await go("/processors");
  await page.getByRole("combobox", { name: "Kind" }).click();
  await page.getByRole("option", { name: "stripe" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Stripe");
  await page.getByLabel("connections").fill("0");
  await page.getByRole("button", { name: "Create the processor" }).click();
  await page.getByText("must be a whole number from 1 to 500").first().waitFor();
  await assertAccessible(visitor, "a new processor with its kind's settings");
}
