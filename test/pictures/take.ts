// A picture of each place, as who signs in there sees it.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { type Visitor, visit } from "../console/visitor.ts";
import type { Gateway } from "../journeys/merchant.fixture.ts";
import type { Picture } from "./places.ts";
import { stillnessOf } from "./stillness.ts";

/** The machine may do much else beside. */
const PATIENCE_MS = 120_000;

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Manner {
  readonly desk: Size;
  readonly phone: Size;
  /** Pixels to a point. */
  readonly scale: number;
  /** As high as the page is, also where somebody would scroll. */
  readonly whole: boolean;
  readonly folder: string;
  readonly kind: "png" | "webp";
  readonly encode: (png: Buffer) => Promise<Buffer>;
}

/** One sign-in for all pictures of one view and role. */
export async function takeAll(gateway: Gateway, browser: Browser, pictures: readonly Picture[], manner: Manner) {
  mkdirSync(manner.folder, { recursive: true });
  const views = Map.groupBy(pictures, ({ scheme, phone, role }) => [scheme, phone, role].join(" "));
  for (const view of views.values()) await takeView(gateway, browser, view, manner);
}

async function takeView(gateway: Gateway, browser: Browser, view: readonly Picture[], manner: Manner): Promise<void> {
  const [first] = view;
  if (first === undefined) return;
  const size = first.phone ? manner.phone : manner.desk;
  const visitor = await visit(browser, gateway.url, {
    ...{ viewport: size, colorScheme: first.scheme, deviceScaleFactor: manner.scale },
  });
  const still = await arrive(visitor, gateway, first);
  for (const { name, path, shows } of view) {
    await visitor.go(path);
    await visitor.page.getByText(shows).locator("visible=true").first().waitFor();
    const bytes = await manner.encode(await shot(visitor.page, still, manner.whole ? size : undefined));
    writeFileSync(join(manner.folder, `${name}.${manner.kind}`), bytes);
    console.log(`${name}.${manner.kind}  ${Math.ceil(bytes.length / 1000)} kB`);
  }
  await visitor.leave();
}

async function arrive({ page }: Visitor, { url, sandbox }: Gateway, { role = "operator" }: Picture) {
  page.context().setDefaultTimeout(PATIENCE_MS);
  const still = stillnessOf(page, PATIENCE_MS);
  await page.goto(`${url}/console/ledger`);
  await page.getByLabel("E-mail").fill(sandbox.people[role].email);
  await page.getByLabel("Password", { exact: true }).fill(sandbox.people[role].password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Ledger" }).waitFor();
  // Nothing is to look as if the pointer were on it.
  await page.mouse.move(0, 0);
  return still;
}

/** @param whole as high as the page is, but no smaller than this */
async function shot(page: Page, still: () => Promise<void>, whole?: Size): Promise<Buffer> {
  await still();
  if (whole === undefined) return page.screenshot({ animations: "disabled" });
  const height = (await page.evaluate("document.documentElement.scrollHeight")) as number;
  // What stands beside the page is as high as the window: the window becomes as high as the page.
  await page.setViewportSize({ width: whole.width, height: Math.max(whole.height, height) });
  await still();
  const png = await page.screenshot({ animations: "disabled" });
  await page.setViewportSize(whole);
  return png;
}
