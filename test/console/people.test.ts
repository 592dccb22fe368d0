// People at the console: they sign in with password and second factor, stay signed in, and see what their role may.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import decodeQR from "qr/decode.js";
import { buildConsole } from "../../scripts/console.ts";
import { codeAt, STEP_MS } from "../../src/people/one-time-codes.ts";
import { browser as visitorOf } from "../browser.ts";
import { until } from "../journeys/crash.fixture.ts";
import { startTestGateway } from "../journeys/gateway.ts";
import { type Gateway, merchantOf, sale } from "../journeys/merchant.fixture.ts";
import { startReceiver } from "../receiver.ts";
import { launchBrowser } from "./browser.ts";
import { setsUpByKey } from "./by-key.ts";
import { drawn } from "./drawn.ts";
import { endsWhenIdle } from "./idle.ts";
import { steeringJourneys } from "./steering.ts";
import { isSentOnce } from "./unchanged.ts";
import { assertAccessible, fromElsewhere, inOnePage, signIn, tellShown, type Visitor } from "./visitor.ts";

const PASSWORD = "a passphrase of my own 1";

/** As an authenticator app reads it. */
function bytesOf(base32: string): Buffer {
  const bits = [...base32].map((one) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(one).toString(2).padStart(5, "0"));
  return Buffer.from((bits.join("").match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
const codeNow = (secret: string, later = 0) => codeAt(bytesOf(secret), Math.floor(Date.now() / STEP_MS) + later);

/** What an authenticator app's camera sees on the page. */
async function scanned({ page }: Visitor): Promise<{ readonly secret: string }> {
  const code = page.getByLabel("QR code of the key");
  const size = Number((await code.getAttribute("viewBox"))?.split(" ").at(-1));
  const uri = decodeQR(drawn((await code.locator("path").getAttribute("d")) ?? "", size));
  assert.match(uri, /^otpauth:\/\/totp\//);
  return { secret: new URL(uri).searchParams.get("secret") ?? "" };
}

describe("people at the console", () => {
  let gateway: Gateway;
  let browser: Browser;
  let id: string;
  let visit: ReturnType<typeof inOnePage>;

  before(async () => {
    [gateway, browser] = await Promise.all([
      startTestGateway({ trustProxy: ["127.0.0.1"] }),
      launchBrowser(),
      buildConsole(),
    ]);
    visit = inOnePage(browser, gateway.url);
    ({ id } = await merchantOf(gateway).charged("sale", sale({ merchant_transaction_id: "order-1" })));
  });
  afterEach((t) => tellShown(t, browser));
  after(async () => {
    await browser?.close();
    await gateway?.close();
  });

  const arrive = async (path = "/transactions") => {
    const visitor = await visit();
    await visitor.page.goto(`${gateway.url}/console${path}`);
    return visitor;
  };

  test("a wrong password is said to be wrong, and a right one opens the page that was asked for, also after a reload", async () => {
    const visitor = await arrive(`/transactions/${id}`);
    const { page } = visitor;
    const { merchant_admin: admin } = gateway.sandbox.people;
    await signIn(visitor, { ...admin, password: "not this one" });
    await page.getByText("E-mail or password is wrong.").waitFor();
    await assertAccessible(visitor, "sign-in");
    await signIn(visitor, admin);
    await page.getByRole("heading", { name: "What happened" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "What happened" }).waitFor();
    await page.getByRole("button", { name: "Void" }).click();
    await page.getByRole("button", { name: "Void: 3.56 USD" }).click();
    await page.getByText("Voided", { exact: true }).first().waitFor();
    await page.getByRole("link", { name: "Settlement" }).click();
    await page.getByText("What is captured now is in").first().waitFor();
    await assertAccessible(visitor, "settlement");
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("menuitem", { name: "Sign out everywhere" }).click();
    await page.getByRole("heading", { name: "Sign in to Faregate" }).waitFor();
    await page.reload();
    await page.getByLabel("E-mail").waitFor();
    assert.deepEqual(visitor.complaints, []);
    await visitor.leave();
  });

  test("each role sees the pages that it may use, and what it may do with a transaction", async () => {
    const everybody = [
      ...["Overview", "Transactions", "Cards on file", "Plans"],
      ...["Settlement", "Disputes", "Ledger", "Reconciliation"],
    ];
    const setUp = ["Processors", "Routing", "Card testing", "API tokens", "Webhooks", "People"];
    const operators = [...everybody, ...setUp, "Unresolved", "Merchants", "Audit log", "Keys", "Test bench"];
    for (const [role, pages, follows] of [
      ["operator", operators, false],
      ["operator_read", operators, false],
      ["merchant_admin", [...everybody, ...setUp, "Audit log", "Test bench"], true],
      ["clerk", [...everybody, "Test bench"], true],
      ["viewer", everybody, false],
    ] as const) {
      const visitor = await arrive();
      const { page, go } = visitor;
      await signIn(visitor, gateway.sandbox.people[role]);
      await page.getByRole("link", { name: "order-1" }).waitFor();
      const places = page.getByRole("navigation").getByRole("link");
      const names = (await places.allInnerTexts()).map((name) => name.trim());
      assert.deepEqual(names, [...pages, "API reference"], role);
      await go(`/transactions/${id}`);
      await page.getByRole("heading", { name: "What happened" }).waitFor();
      assert.equal((await page.getByRole("heading", { name: "What can be done" }).count()) > 0, follows, role);
      const enters = await page.getByRole("button", { name: "Enter a dispute" }).count();
      assert.equal(enters > 0, role === "operator", role);
      await go("/audit");
      const log = pages.some((name) => name === "Audit log");
      await page
        .getByText(log ? "Voided" : "Not for your role")
        .first()
        .waitFor();
      const chain = page.getByText("each sealed together with all before it");
      if (role.startsWith("operator")) await chain.waitFor();
      else assert.equal(await chain.count(), 0, role);
      await visitor.leave();
    }
  });

  test("an operator sets the rules of routing, sees which processor a charge would take, and when card testing is refused", async () => {
    const visitor = await arrive("/routing");
    const { page, go } = visitor;
    await signIn(visitor, gateway.sandbox.people.operator);
    await page.getByText("No rules").waitFor();
    await page.getByRole("button", { name: "Change" }).click();
    await page.getByRole("button", { name: "Add a rule" }).click();
    await page.getByRole("button", { name: "Save the rules" }).click();
    await page.getByText("must be a list of 1 to 20 processors").first().waitFor();
    await assertAccessible(visitor, "rules that are wrong");
    await page.getByLabel("Rule 1", { exact: true }).fill("Small ones in dollars");
    await page.getByLabel("Amount at most").fill("50");
    await page.getByRole("checkbox", { name: /USD/ }).first().check();
    await page.getByRole("combobox", { name: "Most processors that a charge is sent to" }).click();
    await page.getByRole("option", { name: "3", exact: true }).click();
    await page.getByRole("button", { name: "Save the rules" }).click();
    await page.getByText("Version 1").waitFor();
    await page.getByText("a charge is sent to up to 3 of them").waitFor();
    const rules = `/operator/merchants/${gateway.sandbox.merchant_id}/routing`;
    assert.equal((await gateway.operator("GET", rules)).body.routing.attempts_at_most, 3);
    const amount = page.getByLabel("Amount", { exact: true });
    for (const [typed, told] of [
      ["60.00", "Rule 1 (Small ones in dollars) does not apply"],
      ["10.00", "by the rule Small ones in dollars"],
    ] as const) {
      await amount.fill(typed);
      await page.getByLabel("Card begins with").fill("41111111");
      await page.getByLabel("Currency", { exact: true }).fill("usd");
      await page.getByRole("button", { name: "Try it" }).click();
      await page.getByText(told).first().waitFor();
    }
    assert.match(page.url(), /amount=10\.00&card_start=41111111/);
    await go("/card-testing");
    await page.getByText("Nothing in the last 30 days").waitFor();
    await page.getByLabel("Refuse from this many cards").fill("5");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("must be a whole number from 10 to 100").first().waitFor();
    await page.getByLabel("Refuse from this many cards").fill("20");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved. It applies within a second.").waitFor();
    await visitor.leave();
  });

  test("below a transaction stand its webhooks, which are sent again, and who did what with it", async (t) => {
    const receiver = await startReceiver();
    t.after(() => receiver.close());
    const webhooks = `/operator/merchants/${gateway.sandbox.merchant_id}/webhooks`;
    assert.equal((await gateway.operator("POST", webhooks, { url: receiver.url })).status, 201);
    const { charged } = merchantOf(gateway);
    const [told] = [await charged("sale", sale({ merchant_transaction_id: "told" })), await charged("sale", sale())];
    await receiver.got(2);
    const visitor = await arrive(`/transactions/${told.id}`);
    const { page } = visitor;
    await signIn(visitor, gateway.sandbox.people.merchant_admin);
    await page.getByRole("button", { name: "Send again" }).click();
    const sent = await receiver.got(3);
    const ids = sent.map(({ body }) => JSON.parse(String(body)).data.transaction.id);
    assert.equal(ids.filter((one) => one === told.id).length, 2);
    await visitor.go(`/transactions/${id}`);
    const own = page.getByRole("row").filter({ hasText: gateway.sandbox.people.merchant_admin.email });
    await own.getByText("Voided").waitFor();
    await visitor.go("/audit?actor=operator&action=webhook.");
    await page.getByRole("button", { name: "Webhook created" }).first().click();
    await page.getByText("What changed").or(page.getByText("As it was then")).waitFor();
    await assertAccessible(visitor, "an administrator's audit log");
    assert.equal(await page.getByText("operator Sandbox").count(), 0);
    await visitor.leave();
    const operator = await arrive(`/transactions/${id}`);
    await signIn(operator, gateway.sandbox.people.operator_read);
    const row = operator.page.getByRole("row").filter({ hasText: gateway.sandbox.people.merchant_admin.email });
    await row.getByText("Voided").waitFor();
    assert.equal(await operator.page.getByRole("button", { name: "Send again" }).count(), 0);
    await operator.leave();
  });

  test("an operator looks at one merchant after the other, and moves the clock", async () => {
    const visitor = await arrive();
    const { page, go } = visitor;
    await signIn(visitor, gateway.sandbox.people.operator);
    await page.getByRole("link", { name: "order-1" }).waitFor();
    await assertAccessible(visitor, "an operator's list");
    await page.getByRole("combobox", { name: "Merchant" }).click();
    const other = page.getByRole("option", { selected: false }).first();
    await other.click();
    await page.getByText("No transactions yet").waitFor();
    assert.equal(await page.getByText("order-1").count(), 0);
    await go("/bench");
    await page.getByRole("button", { name: "Cut-off 22:00" }).click();
    await page.getByText("22:00:0").first().waitFor();
    await visitor.leave();
  });

  test("a page that nobody uses signs out, whatever it asks for by itself, and shows the same place after signing in", () =>
    endsWhenIdle(browser, gateway, id));

  test("a list that is asked for every few seconds is sent once, and what is new shows by itself", () =>
    isSentOnce(browser, gateway));

  test("where its QR code does not come, a second factor is set up by the key alone", () =>
    setsUpByKey(browser, gateway, { signIn, code: codeNow }));

  test("who has a second factor is asked for its code", async () => {
    const email = "careful@example.com";
    const path = `/operator/merchants/${gateway.sandbox.merchant_id}/people`;
    const made = await gateway.operator("POST", path, { name: "Jane Doe", email, role: "viewer" });
    const visitor = await arrive();
    const { page } = visitor;
    await signIn(visitor, made.body.person);
    await page.getByLabel("Current password").fill(made.body.person.password);
    await page.getByLabel("New password").fill("short");
    await page.getByRole("button", { name: "Change the password" }).click();
    await page.getByText(/12/).first().waitFor();
    await page.getByLabel("New password").fill(PASSWORD);
    await page.getByRole("button", { name: "Change the password" }).click();
    await page.getByRole("link", { name: "order-1" }).waitFor();

    const phone = visitorOf(gateway);
    assert.equal((await phone.signIn({ email, password: PASSWORD }, fromElsewhere())).status, 201);
    await visitor.go("/account");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Go on" }).click();
    const { secret } = await scanned(visitor);
    await assertAccessible(visitor, "account");
    await page.getByLabel("Code from the app").fill(codeNow(secret));
    await page.getByRole("button", { name: "Switch on" }).click();
    await page.getByRole("heading", { name: "Keep these codes" }).waitFor();
    const codes = await page.getByRole("main").getByRole("listitem").allInnerTexts();
    assert.equal(codes.length, 10);
    await page.getByRole("button", { name: "I have saved them" }).click();
    await page.getByRole("button", { name: "New recovery codes" }).waitFor();

    // Sessions from before have ended: within a second, everywhere.
    await until("it has ended", async () => (await phone.get("/session")).status === 401);
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).first().click();
    await page.getByRole("heading", { name: "Sign in to Faregate" }).waitFor();
    await signIn(visitor, { email, password: PASSWORD });
    await page.getByLabel("Code from your authenticator app").fill("000000");
    await assertAccessible(visitor, "second factor");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("is wrong, or was used before").waitFor();
    await page.getByLabel("Code from your authenticator app").fill(codeNow(secret, 1));
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    const panel = page.getByRole("main").locator("form").filter({ hasText: "New recovery codes" });
    await panel.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await panel.getByLabel("Code from the app, or a recovery code").fill(codes[0] ?? "");
    await panel.getByRole("button", { name: "New recovery codes" }).click();
    await page.getByRole("heading", { name: "Keep these codes" }).waitFor();
    await visitor.leave();
  });

  steeringJourneys(() => ({ gateway, visit, arrive, signIn }));
});
