// A page that nobody uses signs out, whatever it asks for by itself; one that is used does not. The page's clock is moved, and the
// session's last use with it.

import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { until } from "../journeys/crash.fixture.ts";
import { type Gateway, newMerchant } from "../journeys/merchant.fixture.ts";
import { fromElsewhere, signIn, signInByToken, type Visitor, visit } from "./visitor.ts";

const MINUTE_MS = 60_000;
/** All that ask again by themselves, and some that do not. */
const PAGES = [
  "/transactions",
  "/overview",
  "/batches",
  "/disputes",
  "/webhooks",
  "/unresolved",
  "/audit",
  "/card-testing",
  "/bench",
  "/processors",
  "/routing",
] as const;

export async function endsWhenIdle(browser: Browser, gateway: Gateway, transactionId: string): Promise<void> {
  const { pool, url, sandbox } = gateway;
  const { merchantId } = await newMerchant(gateway, {});
  const who = sandbox.people.operator;
  const unused = (minutes: number) => pool`
    update sessions set used_at = now() - ${minutes}::int * interval '1 minute'
    where person_id = (select id from people where email = ${who.email})`;
  const minutesUnused = async () => {
    const [row] = await pool`
      select floor(extract(epoch from now() - max(used_at)) / 60)::int as minutes from sessions
      where person_id = (select id from people where email = ${who.email})`;
    return Number(row?.minutes);
  };
  const visitor = await visit(browser, url);
  const { page, go } = visitor;
  let inFlight = 0;
  page.on("request", () => (inFlight += 1));
  for (const end of ["requestfinished", "requestfailed"] as const)
    page.on(end as "requestfinished", () => (inFlight -= 1));
  await page.clock.install();
  await page.goto(`${url}/console/transactions?merchant=${sandbox.merchant_id}`);
  await signIn(visitor, who);
  await page.getByRole("link", { name: "order-1" }).waitFor();

  const asks = async (ms: number) => {
    const asked = page.waitForResponse((response) => response.url() === `${url}/session`);
    await page.clock.fastForward(ms);
    await asked;
  };

  // Nobody does anything: each page goes on asking, and says how long that is.
  await asks(10 * MINUTE_MS);
  // What was asked before has been answered by now.
  await asks(30_000);
  const said: (readonly [string, string | undefined])[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (/^\/(api|operator|session)\b/.test(pathname))
      said.push([pathname, request.headers()["faregate-idle-seconds"]] as const);
  });
  await until("what was asked before is answered", () => Promise.resolve(inFlight === 0));
  await unused(10);
  for (const path of [...PAGES, `/transactions/${transactionId}`]) {
    const before = said.length;
    await go(path);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await page.clock.fastForward(30_000);
    await until(`${path} has asked`, () => Promise.resolve(said.slice(before).some(([asked]) => asked === "/session")));
  }
  assert.deepEqual(
    said.filter(([, seconds]) => !(Number(seconds) >= 600)),
    [],
  );
  assert.ok((await minutesUnused()) >= 10);

  // A key, or the mouse: the session goes on, and the page too.
  for (const act of [
    () => page.keyboard.press("Shift"),
    () => page.mouse.move(300, 300).then(() => page.mouse.move(310, 305)),
    () => page.mouse.wheel(0, 40),
  ]) {
    await unused(14);
    await act();
    await page.clock.fastForward(30_000);
    await until("the session goes on", async () => (await minutesUnused()) < 2);
  }

  // Pretended ones, and a mouse that lies still, are none.
  await asks(10 * MINUTE_MS);
  await asks(4 * MINUTE_MS);
  await unused(14);
  await page.evaluate(`for (const type of ["keydown", "pointerdown", "click"])
    document.body.dispatchEvent(new Event(type, { bubbles: true }))`);
  await asks(30_000);
  assert.ok((await minutesUnused()) >= 14);

  // Signed out, and back at the same place of the same merchant.
  await page.getByRole("navigation").getByRole("combobox", { name: "Merchant" }).click();
  await page.getByRole("option", { name: "Own" }).click();
  await go("/transactions?status=declined");
  await page.getByText("Nothing matches").waitFor();
  await unused(16);
  await page.clock.fastForward(16 * MINUTE_MS);
  await page.getByText("nobody used this page for 15 minutes").waitFor();
  assert.equal(await page.getByRole("navigation").count(), 0);
  const merchantAsked = page.waitForRequest(
    (request) => request.url().includes("/api/transactions") && request.headers()["faregate-merchant"] === merchantId,
  );
  await signIn(visitor, who);
  await merchantAsked;
  await page.getByText("Nothing matches").waitFor();
  assert.match(page.url(), /\/transactions\?status=declined$/);

  await goesByTheOtherTab(page, { url, unused, who });
  assert.deepEqual(visitor.complaints, []);
  await visitor.leave();
  await forgetsAnIdleToken(browser, gateway);
}

interface Tabs {
  readonly url: string;
  readonly unused: (minutes: number) => PromiseLike<unknown>;
  readonly who: { readonly email: string; readonly password: string };
}

/** Two tabs are one session: it goes on while one is used, and ends for both. */
async function goesByTheOtherTab(page: Page, { url, unused, who }: Tabs): Promise<void> {
  const other = await page.context().newPage();
  await other.goto(`${url}/console/processors`);
  await other.getByRole("table", { name: "Processors" }).waitFor();
  await unused(0);
  const answered = page.waitForResponse((response) => response.url() === `${url}/session`);
  await page.clock.fastForward(20 * MINUTE_MS);
  assert.equal((await answered).status(), 200);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  await other.getByRole("button", { name: "Account" }).click();
  await other.getByRole("menuitem", { name: "Sign out" }).first().click();
  await other.getByRole("heading", { name: "Sign in to Faregate" }).waitFor();
  assert.equal(await other.getByText("Your session has ended").count(), 0);
  await page.clock.fastForward(MINUTE_MS);
  await page.getByRole("heading", { name: "Sign in to Faregate" }).waitFor();
  await signIn({ page: other }, who);
  await other.getByRole("table", { name: "Processors" }).waitFor();
  await page.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  await other.close();
}

async function forgetsAnIdleToken(browser: Browser, { url, sandbox }: Gateway): Promise<void> {
  const visitor: Visitor = await visit(browser, url, { extraHTTPHeaders: fromElsewhere() });
  const { page } = visitor;
  await page.clock.install();
  await page.goto(`${url}/console/transactions`);
  await signInByToken(visitor, sandbox.api_token);
  await page.clock.fastForward(14 * MINUTE_MS);
  await page.getByRole("link", { name: "order-1" }).waitFor();
  await page.clock.fastForward(MINUTE_MS + 30_000);
  await page.getByText("nobody used this page for 15 minutes").waitFor();
  assert.equal(await page.getByText("order-1").count(), 0);
  await visitor.leave();
}
