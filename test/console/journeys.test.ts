// People at the console, in a real browser, with a gateway and a database of their own.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { buildConsole } from "../../scripts/console.ts";
import { startTestGateway } from "../journeys/gateway.ts";
import { type Gateway, leg, merchantOf, passenger, sale, THREE_D_SECURE } from "../journeys/merchant.fixture.ts";
import { startReceiver } from "../receiver.ts";
import { seesArchivedBatch } from "./batches.ts";
import { launchBrowser } from "./browser.ts";
import { drawsWithoutLanguage, seesFaultsPass, seesWhatIsLoaded } from "./faults.ts";
import { setsFilters } from "./filters.ts";
import { refundsOnce } from "./refund-once.ts";
import { changeProcessor } from "./steering.ts";
import { assertAccessible, signInByToken, tellShown, type Visitor, visit } from "./visitor.ts";

/** The panels of the page that have less room than what stands in them. */
const CUT_OFF = `[...document.querySelectorAll("main div")].filter((part) => getComputedStyle(part).overflowX === "hidden")
  .flatMap((part) => [...part.children]).filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.innerText)`;
const PHONE = { width: 360, height: 740 };
const FIRST_VIEW_BYTES = 350_000;

describe("the console", () => {
  let gateway: Gateway;
  let browser: Browser;
  let visitor: Visitor;
  let merchant: ReturnType<typeof merchantOf>;

  before(async () => {
    [gateway, browser] = await Promise.all([startTestGateway(), launchBrowser(), buildConsole()]);
    merchant = merchantOf(gateway);
    visitor = await visit(browser, gateway.url);
  });
  afterEach((t) => tellShown(t, browser));
  after(async () => {
    await browser?.close();
    await gateway?.close();
  });

  const booking = () =>
    merchant.charged("sale", {
      ...sale({ amount: "300.00", merchant_transaction_id: "booking-1", email: "jane@example.com", last_name: "Doe" }),
      ...THREE_D_SECURE,
      passenger_transport: [
        passenger({ legs: [leg({ fare: "200.00" })] }),
        passenger({ passenger_name: "DOE/JOHN", ticket_number: "0141234567891" }),
      ],
    });

  test("a browser is led to it, and who is not signed in to the page that was asked for after signing in", async () => {
    const { page } = visitor;
    await page.goto(gateway.url);
    assert.equal(new URL(page.url()).pathname, "/console");
    const { id } = await merchant.charged("sale", sale({ merchant_transaction_id: "order-1" }));
    await page.goto(`${gateway.url}/console/transactions/${id}`);
    await assertAccessible(visitor, "sign-in");
    await page.getByRole("button", { name: "With an API token" }).click();
    const token = page.getByLabel("API token", { exact: true });
    await token.fill("fg_test_wrong");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("This holds no token of a gateway").waitFor();
    await assertAccessible(visitor, "sign-in by token");
    await token.fill(gateway.sandbox.api_token);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "What happened" }).waitFor();
    assert.match(await page.title(), /order-1/);
  });

  test("the first view is small, and asks nobody but the gateway", async (t) => {
    const other = await visit(browser, gateway.url);
    const asked = performance.now();
    await other.page.goto(`${gateway.url}/console`);
    await other.page.getByRole("heading", { name: "Sign in to Faregate" }).waitFor();
    const shownMs = Math.round(performance.now() - asked);
    await signInByToken(other, gateway.sandbox.api_token, "Overview");
    await other.page.getByText(/approved charge/).waitFor();
    t.diagnostic(`first view: ${other.received()} bytes with the overview, the sign-in shown after ${shownMs} ms`);
    assert.ok(other.received() > 50_000 && other.received() < FIRST_VIEW_BYTES, `${other.received()} bytes`);
    assert.deepEqual(other.complaints, []);
    await other.leave();
  });

  test("what cannot be loaded takes nothing else with it: charts stand as a table, a page says so and how to go on", () =>
    seesWhatIsLoaded(browser, gateway));
  test("charts are drawn where the browser has no language", () => drawsWithoutLanguage(browser, gateway));

  test("the overview shows what a period came to, in the currency that was chosen", async () => {
    await merchant.charged("sale", sale({ merchant_transaction_id: "declined", card_number: "4000000000000002" }));
    const { page, go } = visitor;
    await go("/overview?period=Today&currency=USD");
    await page.getByText("50.0 %").first().waitFor();
    await page.getByText("05 DO NOT HONOR").waitFor();
    await page.getByRole("slider", { name: "Charges, step by step" }).press("Home");
    await page.getByText(/, 00:00: \d+ approved, \d+ declined/).waitFor();
    await page.getByText("The charts as a table").click();
    await page.getByRole("columnheader", { name: "Refunded (USD)" }).waitFor();
    await assertAccessible(visitor, "charts and their table");
    const isOverview = ({ pathname }: URL) => pathname === "/api/overview";
    await page.route(isOverview, async (route) => {
      const response = await route.fetch();
      const { overview } = await response.json();
      await route.fulfill({ response, json: { overview: { ...overview, as_of: "2020-01-01T00:00:00+00:00" } } });
    });
    await go("/overview?period=12+months&currency=USD");
    await page.getByText("This period is not added up yet.").waitFor();
    assert.equal(await page.getByText("approved charges").count(), 0);
    await assertAccessible(visitor, "figures that are behind");
    await page.unroute(isOverview);
    await go("/overview?period=Today&currency=USD");
    await page.getByText("50.0 %").first().waitFor();
    await page.getByRole("radio", { name: "30 days" }).press("Space");
    await page.waitForURL(/period=30/);
    await page.getByRole("combobox", { name: "Currency" }).click();
    await page.getByRole("option", { name: "BRL" }).click();
    await page.getByText("Nothing was declined.").waitFor();
    await page.getByRole("radio", { name: "Dates" }).press("Space");
    await page.getByLabel("From").fill("2020-01-01");
    await page.getByLabel("To, inclusive").fill("2020-01-31");
    await page.getByLabel("To, inclusive").press("Enter");
    await page.waitForURL(/from=2020-01-01&to=2020-01-31&currency=BRL/);
    await page.getByText("0 approved charges").waitFor();
    await assertAccessible(visitor, "any period");
  });

  test("filters that are set in the page stand in its address, and all that they find is saved as CSV", () =>
    setsFilters(visitor, gateway));

  test("with the keyboard alone a transaction is found, and left again for the list", async () => {
    const { page, go } = visitor;
    await go("/transactions");
    await page.getByRole("link", { name: "order-1", exact: true }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("order-");
    await page.getByRole("option").first().waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await page.evaluate("document.activeElement.tagName"), "BODY");
    const focused = () => page.evaluate("document.activeElement.textContent");
    const links = await page.getByRole("row").getByRole("link").allInnerTexts();
    for (const [key, row] of [
      ["j", 0],
      ["j", 1],
      ["k", 0],
    ] as const) {
      await page.keyboard.press(key);
      assert.equal(await focused(), links[row]);
    }
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "What happened" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.press("Backspace");
    // As from the clipboard.
    await page.keyboard.insertText("order-1");
    await page.getByRole("option").first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/merchant_transaction_id=order-1/);
    await go("/transactions?page=99");
    await page.getByText("Nothing on this page").waitFor();
    await page.getByRole("button", { name: "Page 1" }).click();
    await page.getByRole("link", { name: "order-1", exact: true }).waitFor();
  });

  test("a new transaction appears in the list by itself", async () => {
    const watcher = await visit(browser, gateway.url);
    await watcher.page.clock.install();
    await watcher.page.goto(`${gateway.url}/console/transactions`);
    await signInByToken(watcher, gateway.sandbox.api_token);
    await watcher.page.getByRole("link", { name: "order-1" }).waitFor();
    await merchant.charged("sale", sale({ merchant_transaction_id: "just-now" }));
    await watcher.page.clock.fastForward(10_000);
    await watcher.page.getByRole("link", { name: "just-now" }).waitFor();
    await watcher.leave();
  });

  test("the search box finds by what a person has at hand", async () => {
    const { id } = await booking();
    const { page, go } = visitor;
    for (const [word, reading] of [
      ["booking", "Order number begins with"],
      ["jane@", "E-mail begins with"],
      ["Doe", "Last name begins with"],
      ["411111******1111", "Card"],
      ["300.00", "Amount"],
      ["0141234567891", "Ticket number"],
      [id, "Transaction"],
    ] as const) {
      await go("/ledger");
      await page.getByRole("heading", { name: "Ledger" }).waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type(word);
      await page.getByRole("option", { name: reading }).first().click();
      if (word !== id) await page.getByRole("link", { name: "booking-1" }).click();
      await page.getByText("2 passengers").waitFor();
      assert.ok(page.url().endsWith(`/console/transactions/${id}`), word);
    }
  });

  test("one passenger is refunded, and the other's money stays", async () => {
    const { id, passengers } = await booking();
    const { page, go } = visitor;
    await go(`/transactions/${id}`);
    await page.getByRole("button", { name: "Refund" }).click();
    // Nobody's money is chosen beforehand.
    for (const name of ["DOE/JANE", "DOE/JOHN"])
      assert.equal(await page.getByLabel(`Amount for ${name}`).inputValue(), "", name);
    assert.ok(await page.getByRole("dialog").getByRole("button", { name: "Refund", exact: true }).isDisabled());
    await page.getByRole("button", { name: "All: 300.00 USD" }).click();
    await page.getByRole("button", { name: "Refund: 300.00 USD" }).waitFor();
    await page.getByRole("button", { name: "None" }).click();
    await page.getByLabel("Amount for DOE/JANE").fill("500");
    await page.getByText("DOE/JANE: At most 200.00").waitFor();
    await assertAccessible(visitor, "dialog");
    await page.getByLabel("Amount for DOE/JANE").fill("120.5");
    await page.getByText("Gives 120.50 USD back to Visa •••• 1111").waitFor();
    await page.getByRole("button", { name: "Refund: 120.50 USD" }).click();
    await page.getByText("120.50 refunded").waitFor();
    const amounts = page.getByRole("region", { name: "Amounts" });
    for (const [name, amount] of [
      ["Captured", "300.00USD"],
      ["Refunded", "120.50USD"],
      ["Kept", "179.50USD"],
    ] as const)
      await amounts.getByRole("listitem").filter({ hasText: name }).getByText(amount, { exact: true }).waitFor();
    const found = await merchant.found(id);
    assert.deepEqual(
      found.events.map(({ event_type, amount }: { event_type: string; amount: string }) => [event_type, amount]),
      [
        ["refund", "120.50"],
        ["sale", "300.00"],
      ],
    );
    const refunded = found.passengers.map(({ totals }: { totals: { refunded: string } }) => totals.refunded);
    assert.deepEqual([refunded, passengers.length], [["120.50", "0.00"], 2]);
  });

  test("a Canadian day is ridden through with the clock: void, then the window, then refund", async () => {
    const { page, go } = visitor;
    await go("/bench");
    await page.getByLabel("Order number").fill("cad-1");
    for (const [language, line] of [
      ["curl", "merchant_transaction_id=cad-1"],
      ["TypeScript", "client.sale("],
      ["Python", "requests.post("],
      ["PHP", "curl_init("],
    ] as const) {
      await page.getByRole("radiogroup", { name: "Language" }).getByText(language).click();
      await page.locator("pre").filter({ hasText: line }).filter({ hasText: "cad-1" }).waitFor();
    }
    await page.getByRole("combobox", { name: "Processor" }).click();
    await page.getByRole("option", { name: /CAD/ }).click();
    await page.getByRole("button", { name: "Send it" }).click();
    await page.getByText("00 APPROVED").waitFor();
    await page.getByRole("button", { name: "Show the clock" }).waitFor();
    await page.getByLabel("Operator token").fill(gateway.sandbox.operator_token);
    await page.getByRole("button", { name: "Show the clock" }).click();
    await page.getByRole("button", { name: "Cut-off 22:00" }).click();
    await page.getByText("22:00:0").first().waitFor();
    await assertAccessible(visitor, "bench");
    await page.getByRole("link", { name: "Look at the transaction" }).click();
    await page.getByText("Settling").first().waitFor();
    assert.ok(await page.getByRole("button", { name: "Void" }).isEnabled());
    await page.getByRole("button", { name: "Void" }).click();
    await page.getByText("Settlement is in progress").first().waitFor();
    await page.getByRole("button", { name: "Not now" }).click();
    await go("/bench");
    await page.getByRole("button", { name: "Settled 02:20" }).click();
    await page.getByText("02:20:0").first().waitFor();
    await page.goBack();
    await page.getByText("Settled").first().waitFor();
    assert.ok(await page.getByRole("button", { name: "Void" }).isDisabled());
    await page.getByText("The money has settled. Use a refund.").waitFor();
    await page.getByRole("button", { name: "Refund" }).click();
    await page.getByRole("button", { name: "Refund: 24.00 CAD" }).click();
    await page.getByText("Refunded", { exact: true }).first().waitFor();
    await page.getByRole("link", { name: "Settlement batch" }).last().click();
    await page.getByText("Goes to the merchant").waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Its events as CSV" }).click();
    assert.match(readFileSync(await (await saved).path(), "utf8"), /cad-1,sale,24\.00,CAD,/);
    await page.getByRole("link", { name: "Settlement", exact: true }).first().click();
    const totals = page.getByRole("table", { name: "Settlement batches, newest first" });
    await totals.getByRole("cell", { name: "24.00CAD", exact: true }).waitFor();
  });

  test("a refund whose outcome was not told is made once", () => refundsOnce(browser, gateway));

  test("what fails for a while says so, and is asked again", () => seesFaultsPass(browser, gateway, "24.00CAD"));

  test("a batch of which something is archived is said to be archived", () => seesArchivedBatch(browser, gateway));

  test("an operator's token opens set-up: a processor and a token are made, and the token charges by the processor", async () => {
    const { page, go } = visitor;
    await go("/processors");
    await page.getByRole("textbox", { name: "Name" }).fill("Euros");
    await page.getByRole("textbox", { name: "Currency" }).fill("eur");
    await page.getByRole("button", { name: "Create the processor" }).click();
    await page.getByRole("switch", { name: "Euros is in rotation" }).press("Space");
    await page.getByRole("switch", { name: "Euros is in rotation", checked: true }).waitFor();
    await assertAccessible(visitor, "processors");
    await changeProcessor(visitor, gateway, "Euros");
    await go("/tokens");
    await page.getByLabel("Read", { exact: true }).uncheck();
    await page.getByRole("button", { name: "Create the token" }).click();
    const token = await page.getByRole("dialog").locator("button.code").innerText();
    await assertAccessible(visitor, "secret");
    await page.getByRole("button", { name: "I have saved it" }).click();
    const charged = await gateway.post("/api/transactions/sale", sale({ currency: "EUR" }), { token });
    assert.deepEqual([charged.status, charged.body.transaction?.currency], [200, "EUR"]);
    assert.equal((await gateway.get("/api/transactions", { token })).status, 403);
    await page.getByText("charge, follow up", { exact: true }).first().waitFor();
    const row = page.getByRole("row").filter({ hasText: /charge, follow up(?!,)/ });
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("Revoked").waitFor();
  });

  test("a webhook is sent again", async (t) => {
    const receiver = await startReceiver();
    t.after(() => receiver.close());
    const { page, go } = visitor;
    await go("/webhooks");
    await page.getByLabel("Address").fill(receiver.url);
    await page.getByRole("button", { name: "Create the endpoint" }).click();
    await page.getByRole("button", { name: "I have saved it" }).click();
    await page.getByRole("button", { name: "Send a test" }).click();
    const [ping] = await receiver.got(1);
    assert.equal(JSON.parse(String(ping?.body)).type, "webhook.ping");
    await merchant.charged("sale", sale({ currency: "USD" }));
    await receiver.got(2);
    const told = page.getByRole("row").filter({ hasText: "sale succeeded" });
    await told.getByRole("button", { name: "Send again" }).click();
    const [, first, again] = await receiver.got(3);
    assert.equal(again?.headers["webhook-id"], first?.headers["webhook-id"]);
    await assertAccessible(visitor, "webhooks");
  });

  test("what runs into doubt says so", async () => {
    const silent = await merchant.processor({ settings: { silent_operations: ["capture"], timeout_ms: 100 } });
    const { id } = await merchant.charged("auth", sale({ processor_id: silent }));
    const { page, go } = visitor;
    await go(`/transactions/${id}`);
    await page.getByRole("button", { name: "Capture" }).click();
    await page.getByRole("button", { name: "Capture: 3.56 USD" }).click();
    await page.getByText("The outcome of an operation is not known yet").waitFor();
    await page.getByText("In doubt").first().waitFor();
  });

  test("large amounts have room, light and dark, at a desk and on a phone", async () => {
    for (const amount of ["9999999", "9999999"])
      await merchant.charged("sale", sale({ amount, currency: "USD", merchant_transaction_id: "large" }));
    const { transactions } = (await gateway.get("/api/transactions")).body;
    const pages = {
      [`/transactions/${transactions.at(-1).id}`]: "What happened",
      "/transactions": "Transactions",
      "/overview?currency=USD": "Brands",
      "/batches": "Settlement",
    };
    for (const view of [{ colorScheme: "light" }, { colorScheme: "dark", viewport: PHONE }] as const) {
      const other = await visit(browser, gateway.url, view);
      await other.page.goto(`${gateway.url}/console/transactions`);
      await signInByToken(other, gateway.sandbox.api_token);
      for (const [path, heading] of Object.entries(pages)) {
        await other.go(path);
        await other.page.getByRole("heading", { name: heading }).first().waitFor();
        await assertAccessible(other, `${path} ${view.colorScheme}`);
        const wide = await other.page.evaluate("document.documentElement.scrollWidth - innerWidth");
        assert.ok(Number(wide) <= 0, `${path} is wider than the screen by ${wide}`);
        if (path.startsWith("/overview")) assert.deepEqual(await other.page.evaluate(CUT_OFF), []);
      }
      assert.deepEqual(other.complaints, []);
      await other.leave();
    }
  });

  test("who signs out is gone, and sees nothing of it any more", async () => {
    const { page, complaints } = visitor;
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).first().click();
    await page.getByRole("heading", { name: "Sign in to Faregate" }).waitFor();
    assert.equal(await page.getByText("booking-1").count(), 0);
    assert.deepEqual(complaints, []);
  });
});
