// Every page of the console, walked with the mouse and with the keyboard: what is clicked is what opens or changes, and all is reached by
// Tab.

import { after, afterEach, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { buildConsole } from "../../scripts/console.ts";
import { startTestGateway } from "../journeys/gateway.ts";
import type { Gateway } from "../journeys/merchant.fixture.ts";
import { launchBrowser } from "./browser.ts";
import { opensByKey, tabsThrough } from "./keyboard.ts";
import { fillLists, listsOf } from "./lists.fixture.ts";
import {
  endpointsActAlone,
  entriesOpenBelowThemselves,
  rowsOpenTheirRecords,
  switchesActOnTheirRecords,
  tokensAreRevokedInTheirRows,
} from "./mouse.ts";
import { inOnePage, signIn, tellShown, type Visitor } from "./visitor.ts";

const PHONE = { width: 360, height: 740 };
const DESK = { width: 1280, height: 720 };

const PAGES = [
  "/overview",
  "/transactions",
  "/batches",
  "/disputes",
  "/ledger",
  "/reconciliations",
  "/processors",
  "/routing",
  "/card-testing",
  "/tokens",
  "/webhooks",
  "/people",
  "/unresolved",
  "/merchants",
  "/audit",
  "/keys",
  "/bench",
  "/account",
  "/nowhere",
] as const;

describe("the console's pages", () => {
  let gateway: Gateway;
  let browser: Browser;
  let visitor: Visitor;

  before(async () => {
    [gateway, browser] = await Promise.all([
      startTestGateway({ trustProxy: ["127.0.0.1"] }),
      launchBrowser(),
      buildConsole(),
    ]);
    await fillLists(gateway);
    visitor = await inOnePage(browser, gateway.url)();
    const { page } = visitor;
    await page.goto(`${gateway.url}/console/transactions?merchant=${gateway.sandbox.merchant_id}`);
    await signIn(visitor, gateway.sandbox.people.operator);
    await page.getByRole("link", { name: "order cad" }).waitFor();
  });
  afterEach((t) => tellShown(t, browser));
  after(async () => {
    await browser?.close();
    await gateway?.close();
  });

  for (const [name, view] of [
    ["at a desk", DESK],
    ["on a phone", PHONE],
  ] as const)
    test(`a click anywhere in a row opens that row's record, in every list, ${name}`, async () => {
      await visitor.page.setViewportSize(view);
      for (const list of listsOf(gateway)) await rowsOpenTheirRecords(visitor, list);
      await visitor.page.setViewportSize(DESK);
    });

  test("on every page each control is reached by Tab, in sight and seen to have the focus", async () => {
    const first: Record<string, string> = {};
    for (const list of listsOf(gateway)) first[list.path] = `${list.path}/${(await list.ids())[0]}`;
    for (const path of [...PAGES, ...Object.values(first)]) await tabsThrough(visitor, path, /./);
  });

  for (const [name, view] of [
    ["at a desk, light", { colorScheme: "light", viewport: DESK }],
    ["on a phone, dark", { colorScheme: "dark", viewport: PHONE }],
  ] as const)
    test(`menus and lists open by keys and can be read, ${name}`, async () => {
      await visitor.page.emulateMedia({ colorScheme: view.colorScheme });
      await visitor.page.setViewportSize(view.viewport);
      await opensByKey(visitor, name);
      await visitor.page.emulateMedia({ colorScheme: "light" });
      await visitor.page.setViewportSize(DESK);
    });

  test("a switch acts on the record of its row, and the room beside it does nothing", () =>
    switchesActOnTheirRecords(visitor, gateway));
  test("a token is revoked by the button of its row, once that is confirmed", () =>
    tokensAreRevokedInTheirRows(visitor, gateway));
  test("an endpoint's switch, test and deliveries are its own", () => endpointsActAlone(visitor, gateway));
  test("an entry of the audit log opens below itself", () => entriesOpenBelowThemselves(visitor));
});
