// What the console shows where it cannot be loaded whole, and where the gateway gives no answer for a while.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Locator, Page } from "playwright-core";
import type { Gateway } from "../journeys/merchant.fixture.ts";
import { BATCHES, looksAtRows } from "./batches.ts";
import { assertAccessible, signInByToken, visit } from "./visitor.ts";

/** The rest of the page, and how to go on. */
export async function seesWhatIsLoaded(browser: Browser, { url, sandbox }: Gateway): Promise<void> {
  const other = await visit(browser, url);
  const { page } = other;
  await page.route("**/assets/charts-*.js*", (route) => route.abort());
  await page.goto(`${url}/console`);
  await signInByToken(other, sandbox.api_token, "Overview");
  await page.getByText("The charts as a table").waitFor();
  await page.getByText(/approved charge/).waitFor();
  await isToldThatItLoads(page);
  await triesAgain(page);

  const ledger = "**/assets/ledger-page-*.js*";
  await page.route(ledger, (route) => route.fulfill({ status: 404 }));
  await page.getByRole("link", { name: "Ledger" }).click();
  await page.getByRole("heading", { name: "This page could not be loaded", level: 1 }).waitFor();
  await assertAccessible(other, "a page that is not loaded");
  assert.equal(await page.title(), "This page could not be loaded · Faregate");
  await page.unroute(ledger);
  await page.getByRole("button", { name: "Reload the console" }).click();
  await signInByToken(other, sandbox.api_token, "Ledger");

  await page.route("**/assets/index-*.js", (route) => route.fulfill({ status: 404 }));
  await page.reload();
  await page.getByRole("link", { name: "load it again" }).waitFor();
  await other.leave();
}

/** In a status that was there before, and by the title. */
async function isToldThatItLoads(page: Page): Promise<void> {
  const file = "**/assets/disputes-page-*.js";
  const held = Promise.withResolvers<void>();
  await page.route(file, async (route) => {
    await held.promise;
    await route.continue();
  });
  const said = page.locator("[role=status]").filter({ hasText: /^Loading$/ });
  await said.waitFor({ state: "detached" });
  await page.evaluate(`for (const one of document.querySelectorAll("[role=status]")) one.dataset.before = "true"`);
  await page.getByRole("link", { name: "Disputes", exact: true }).click();
  await said.waitFor({ state: "attached" });
  assert.equal(await said.getAttribute("data-before"), "true");
  assert.equal(await page.title(), "Loading · Faregate");
  held.resolve();
  await page.getByRole("heading", { name: "Disputes", level: 1 }).waitFor();
  await said.waitFor({ state: "detached" });
  assert.equal(await page.title(), "Disputes · Faregate");
}

/** Chromium answers the `import` of a script that once did not come out of its memory. Nobody signs in again. */
async function triesAgain(page: Page): Promise<void> {
  await page.route("**/assets/reconciliations-page-*.js", (route) => route.abort(), { times: 1 });
  await page.getByRole("link", { name: "Reconciliation" }).click();
  await page.getByRole("heading", { name: "Reconciliation", level: 1 }).waitFor();

  const tokens = "**/assets/tokens-page-*.js*";
  await page.route(tokens, (route) => route.abort());
  await page.getByRole("link", { name: "API tokens" }).click();
  await page.getByRole("heading", { name: "This page could not be loaded" }).waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "This page could not be loaded" }).waitFor();
  await page.unroute(tokens);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "API tokens", level: 1 }).waitFor();
}

/** Chromium's `navigator.language` is no language where the system's locale is POSIX. */
export async function drawsWithoutLanguage(browser: Browser, { url, sandbox }: Gateway): Promise<void> {
  const other = await visit(browser, url);
  await other.page.addInitScript(
    `Object.defineProperty(Navigator.prototype, "language", { get: () => "en-US@posix", configurable: true })`,
  );
  await other.page.goto(`${url}/console`);
  await signInByToken(other, sandbox.api_token, "Overview");
  await other.go("/overview?period=Today&currency=USD");
  await other.page.getByRole("slider", { name: "Charges, step by step" }).waitFor();
  assert.deepEqual(other.complaints, []);
  await other.leave();
}

const isDoor = ({ pathname }: URL) => pathname === "/session";
const isList = ({ pathname }: URL) => pathname === "/api/batches";
const isBatch = ({ pathname }: URL) => pathname.startsWith("/api/batches/");

const TOO_MANY = {
  status: 503,
  headers: { "retry-after": "1" },
  json: { error: { status: 503, message: { base: ["Too many requests are waiting."] } }, debug: [] },
};

/** @param shown of the batch, as soon as it is known */
export async function seesFaultsPass(browser: Browser, { url, sandbox }: Gateway, shown: string): Promise<void> {
  const visitor = await visit(browser, url);
  const { page } = visitor;
  await page.clock.install();
  await page.route(isDoor, (route) => route.abort());
  await page.route(isList, (route) => route.abort());
  await page.route(isBatch, (route) => route.fulfill(TOO_MANY));
  await page.goto(`${url}/console/batches`);

  await comes(page, page.getByText("The gateway did not answer"));
  await page.unroute(isDoor);
  await comes(page, page.getByRole("heading", { name: "Sign in to Faregate" }));

  await signInByToken(visitor, sandbox.api_token, "Settlement");
  await comes(page, page.getByText("The gateway did not answer"));
  await page.unroute(isList);
  await comes(page, page.getByRole("table", { name: BATCHES }));

  await looksAtRows(page);
  await comes(page, page.getByText("Not known").first());
  await page.unroute(isBatch);
  await comes(page, page.getByRole("cell", { name: shown, exact: true }));
  await visitor.leave();
}

const MOST_STEPS = 60;
const STEP_MS = 5_000;

/** As time goes by. */
async function comes(page: Page, awaited: Locator): Promise<void> {
  for (let left = MOST_STEPS; left > 0 && !(await awaited.isVisible()); left--) {
    await page.clock.fastForward(STEP_MS);
    await sleep(100);
  }
  await awaited.waitFor();
}
