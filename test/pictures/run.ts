// `npm run pictures`: takes the pictures of the console in docs/images anew, in a gateway of its own with a month of sales.
// `npm run pictures -- --all <folder>` takes each page, light and dark, at a desk and on a phone, to be looked at.

import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { buildConsole } from "../../scripts/console.ts";
import { launchBrowser } from "../console/browser.ts";
import { stopDatabases } from "../database-server.ts";
import { startTestGateway } from "../journeys/gateway.ts";
import type { Gateway } from "../journeys/merchant.fixture.ts";
import { startReceiver } from "../receiver.ts";
import { allPages, DESK, PHONE, picturesOfDocs, WIDE_DESK } from "./places.ts";
import { openShop } from "./shop.ts";
import { takeAll } from "./take.ts";
import { webpOf } from "./webp.ts";

const DOCS = join(import.meta.dirname, "../../docs/images");

const { values } = parseArgs({ options: { all: { type: "string" } } });
await buildConsole();
const started = new AsyncDisposableStack();
started.defer(stopDatabases);
let stopping: Promise<void> | undefined;
// By a signal as well: what fails because of that ends the program when all has stopped, not before.
const stop = () => (stopping ??= started.disposeAsync());
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => void stop().finally(() => process.exit(1)));
try {
  // One after the other: what has started is stopped also where the next one fails.
  const gateway = started.adopt(await startTestGateway({ trustProxy: ["127.0.0.1"] }), (one) => one.close());
  // A signal is for this program, which stops the browser as well.
  const browser = started.adopt(await launchBrowser({ handleSIGINT: false, handleSIGTERM: false }), (one) =>
    one.close(),
  );
  const receiver = started.adopt(await startReceiver(), (one) => one.close());
  await takePictures(gateway, browser, receiver.url);
} finally {
  await stop();
}

async function takePictures(gateway: Gateway, browser: Browser, hears: string): Promise<void> {
  const shop = await openShop(gateway, hears);
  if (values.all === undefined)
    await takeAll(gateway, browser, picturesOfDocs(shop), {
      ...{ desk: DESK, phone: PHONE, scale: 1.5, whole: false, folder: DOCS, kind: "webp" },
      encode: (png) => webpOf(browser, png),
    });
  else
    await takeAll(gateway, browser, allPages(shop), {
      ...{ desk: WIDE_DESK, phone: PHONE, scale: 1, whole: true, folder: values.all, kind: "png" },
      encode: async (png) => png,
    });
}
