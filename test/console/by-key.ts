// A second factor that is set up while the file that draws its QR code does not come.

import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import type { Gateway } from "../journeys/merchant.fixture.ts";
import { assertAccessible, type Visitor, visit } from "./visitor.ts";

interface Means {
  readonly signIn: (visitor: Visitor, who: { readonly email: string; readonly password: string }) => Promise<void>;
  /** Of a key, now. */
  readonly code: (secret: string) => string;
}

/** Of one's own accord, and as the first thing that has to be done: as operators in live mode, of which the sandbox has none. */
export async function setsUpByKey(browser: Browser, { url, sandbox }: Gateway, { signIn, code }: Means): Promise<void> {
  const visitor = await visit(browser, url);
  const { page } = visitor;
  await page.route("**/assets/qr-code-*.js*", (route) => route.abort());
  await page.goto(`${url}/console/account`);
  await signIn(visitor, sandbox.people.viewer);
  await page.getByRole("heading", { name: "Set up a second factor", level: 2 }).waitFor();
  await keyIn(page, sandbox.people.viewer.password);

  await page.route(isSession, async (route) => {
    const response = await route.fetch();
    const { session } = await response.json();
    await route.fulfill({ response, json: { session: { ...session, must: "set_up_second_factor" } } });
  });
  await page.reload();
  await page.getByRole("heading", { name: "Set up a second factor", level: 1 }).waitFor();
  assert.equal(await page.title(), "Set up a second factor · Faregate");
  const secret = await keyIn(page, sandbox.people.viewer.password);
  await assertAccessible(visitor, "a key without its QR code");
  await page.getByLabel("Code from the app").fill(code(secret));
  await page.getByRole("button", { name: "Switch on" }).click();
  await page.getByRole("heading", { name: "Keep these codes" }).waitFor();
  await visitor.leave();
}

const isSession = ({ pathname }: URL) => pathname === "/session";

async function keyIn(page: Page, password: string): Promise<string> {
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Go on" }).click();
  await page.getByText("The QR code could not be loaded").waitFor();
  return page.getByRole("button", { name: "Copy the key" }).innerText();
}
