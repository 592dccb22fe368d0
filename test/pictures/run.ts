// `npm run pictures`: takes the pictures of the console in docs/images anew, in a gateway of its own with a month of sales.
// `npm run pictures -- --all <folder>` takes each page, light and dark, at a desk and on a phone, to be looked at.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { buildConsole } from "../../scripts/console.ts";
import { launchBrowser } from "../console/browser.ts";
import { type Visitor, visit } from "../console/visitor.ts";
import { stopDatabases } from "../database-server.ts";
import { startTestGateway } from "../journeys/gateway.ts";
import type { Gateway } from "../journeys/merchant.fixture.ts";
import { startReceiver } from "../receiver.ts";
import { allPages, DESK, PHONE, type Picture, picturesOfDocs, WIDE_DESK } from "./places.ts";
import { openShop } from "./shop.ts";
import { webpOf } from "./webp.ts";

const DOCS = join(import.meta.dirname, "../../docs/images");

const { values } = parseArgs({ options: { all: { type: "string" } } });
await buildConsole();
const [gateway, browser, receiver] = await Promise.all([
  startTestGateway({ trustProxy: ["127.0.0.1"] }),
  launchBrowser(),
  startReceiver(),
]);
try {
  const shop = await openShop(gateway, receiver.url);
  if (values.all === undefined)
    await takeAll(picturesOfDocs(shop), DOCS, async (from, png) => ({ kind: "webp", bytes: await webpOf(from, png) }));
  else await takeAll(allPages(shop), values.all, async (_, png) => ({ kind: "png", bytes: png }));
} finally {
  await browser.close();
  await gateway.close();
  await receiver.close();
  await stopDatabases();
}

interface Image {
  readonly kind: "png" | "webp";
  readonly bytes: Buffer;
}

type Encode = (browser: Browser, png: Buffer) => Promise<Image>;

/** One sign-in for all pictures of one view and role. */
async function takeAll(pictures: readonly Picture[], folder: string, encode: Encode): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const views = Map.groupBy(pictures, ({ scheme, phone, role }) => [scheme, phone, role].join(" "));
  for (const view of views.values()) {
    const [first] = view;
    if (first === undefined) continue;
    const visitor = await arrive(gateway, first);
    for (const picture of view) {
      const { kind, bytes } = await encode(browser, await take(visitor, picture, values.all !== undefined));
      writeFileSync(join(folder, `${picture.name}.${kind}`), bytes);
      console.log(`${picture.name}.${kind}  ${Math.ceil(bytes.length / 1000)} kB`);
    }
    await visitor.leave();
  }
}

async function arrive({ url, sandbox }: Gateway, { scheme, phone, role = "operator" }: Picture): Promise<Visitor> {
  const visitor = await visit(browser, url, {
    ...{
      viewport: phone ? PHONE : values.all === undefined ? DESK : WIDE_DESK,
      colorScheme: scheme,
      deviceScaleFactor: values.all === undefined ? 1.5 : 1,
    },
  });
  const { page } = visitor;
  await page.goto(`${url}/console/ledger`);
  await page.getByLabel("E-mail").fill(sandbox.people[role].email);
  await page.getByLabel("Password", { exact: true }).fill(sandbox.people[role].password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Ledger" }).waitFor();
  return visitor;
}

async function take({ page, go }: Visitor, { path, shows }: Picture, fullPage: boolean): Promise<Buffer> {
  await go(path);
  await page.getByText(shows).locator("visible=true").first().waitFor();
  await page.waitForLoadState("networkidle");
  return page.screenshot({ fullPage, animations: "disabled" });
}
