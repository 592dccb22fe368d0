// Every page of the console, walked with the mouse and with the keyboard: what is clicked is what opens or changes, all is reached by Tab,
// and everything can be read in both colours, at a desk and on a phone.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Browser } from "playwright-core";
import { ROUTES } from "../../console/src/routes.ts";
import { buildConsole } from "../../scripts/console.ts";
import { startTestGateway } from "../journeys/gateway.ts";
import type { Gateway } from "../journeys/merchant.fixture.ts";
import { type Receiver, startReceiver } from "../receiver.ts";
import { launchBrowser } from "./browser.ts";
import { DESK, IN_THE_WAY, looksRight, PHONE, settled, walk } from "./crawl.ts";
import { opensByKey, tabsThrough } from "./keyboard.ts";
import { fillLists, listsOf, recordsOf } from "./lists.fixture.ts";
import {
  endpointsActAlone,
  entriesOpenBelowThemselves,
  rowsOpenTheirRecords,
  switchesActOnTheirRecords,
  tokensAreRevokedInTheirRows,
} from "./mouse.ts";
import { allAreHit, clickOn, controlsIn, POINTER, shapeOf } from "./pointer.ts";
import { inOnePage, signIn, tellShown, type Visitor } from "./visitor.ts";
import { type Records, walksOf, walksOfAdministrator } from "./walks.ts";

describe("the console's pages", () => {
  let gateway: Gateway;
  let browser: Browser;
  let receiver: Receiver;
  let visitor: Visitor;
  let records: Records;
  let visit: ReturnType<typeof inOnePage>;

  before(async () => {
    [gateway, browser, receiver] = await Promise.all([
      startTestGateway({ trustProxy: ["127.0.0.1"] }),
      launchBrowser(),
      startReceiver(),
      buildConsole(),
    ]);
    const { merchant_id: merchant, people } = gateway.sandbox;
    await gateway.operator("POST", `/operator/merchants/${merchant}/webhooks`, { url: receiver.url });
    await fillLists(gateway);
    records = await recordsOf(gateway);
    visit = inOnePage(browser, gateway.url);
    visitor = await visit();
    const { page } = visitor;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.addInitScript(`${IN_THE_WAY}; ${POINTER}`);
    await page.goto(`${gateway.url}/console/transactions?merchant=${merchant}`);
    await page.getByLabel("E-mail").waitFor();
    await looksRight(visitor, "html", "the sign-in");
    await signIn(visitor, people.operator);
    await page.getByRole("link", { name: "order cad" }).waitFor();
  });
  afterEach((t) => tellShown(t, browser));
  after(async () => {
    await browser?.close();
    await gateway?.close();
    await receiver?.close();
  });

  for (const [name, view, clicks] of [
    ["at a desk", DESK, 3],
    ["on a phone", PHONE, 1],
  ] as const)
    test(`a click anywhere in a row opens that row's record, in every list, ${name}`, async () => {
      await visitor.page.setViewportSize(view);
      for (const list of listsOf(gateway)) await rowsOpenTheirRecords(visitor, list, clicks);
      await visitor.page.setViewportSize(DESK);
    });

  test("a list whose last row's link lies over all others is noticed", async () => {
    const [list] = listsOf(gateway);
    assert.ok(list);
    const over = await visitor.page.addStyleTag({
      content: "tbody a::after { content: ''; position: absolute; inset: 0 }",
    });
    try {
      await assert.rejects(rowsOpenTheirRecords(visitor, list), /row 0, cell 0/);
      await assert.rejects(allAreHit(visitor.page, "#page", list.path), /order cad is under/);
    } finally {
      await over.evaluate((style) => style.parentNode?.removeChild(style));
    }
  });

  test("only what differs in its words has the shape of what axe has seen", async () => {
    const { page } = visitor;
    const shaped = async (html: string) => {
      await page.evaluate(`{ const probe = document.createElement("div"); probe.id = "probe"; document.body.append(probe);
        probe.innerHTML = ${JSON.stringify(html)}; }`);
      const shape = await shapeOf(page, "#probe");
      await page.evaluate("document.getElementById('probe').remove()");
      return shape;
    };
    const seen = await shaped(
      `<label for="one">Amount</label><input id="one" class="a"><button class="b">Save</button>`,
    );
    const alike = `<label for="two">Currency</label><input id="two" class="a"><button class="b">Leave it</button>`;
    assert.equal(await shaped(alike), seen);
    for (const [words, others] of [
      ["Leave it", ""],
      ["Currency", " "],
      [`for="two"`, `for="three"`],
      [`class="a"`, `class="c"`],
      [`class="b"`, `class="b" style="color: white"`],
      [`class="b"`, `class="b" disabled`],
      [`class="b"`, `class="b" aria-hidden="true"`],
      ["</button>", "</button><img>"],
    ] as const)
      assert.notEqual(await shaped(alike.replace(words, others)), seen, others);
  });

  for (const route of ROUTES)
    test(`${route}: each control is hit by the mouse, does what it says with its own record, and can be read`, () =>
      walk(visitor, { path: route, ...walksOf(gateway, records)[route] }));

  test("on every page each control is reached by Tab, in sight and seen to have the focus", async () => {
    const walks = walksOf(gateway, records);
    for (const route of [...ROUTES, "/nowhere"] as const)
      await tabsThrough(visitor, route === "/nowhere" ? route : (walks[route].path ?? route));
  });

  test("around the pages each link and button is hit, and each link opens its page", async () => {
    const { page, go } = visitor;
    await go("/keys");
    await settled(page);
    await allAreHit(page, "header", "the header");
    for (const link of (await controlsIn(page, "nav")).filter(
      ({ kind, href }) => kind === "link" && href !== "/docs",
    )) {
      await clickOn(page, "nav", link, "the navigation");
      await page.waitForURL((url) => url.pathname === link.href);
    }
    await page.setViewportSize(PHONE);
    await page.getByRole("button", { name: "Open the menu" }).click();
    await allAreHit(page, "nav", "the navigation on a phone");
    await page.setViewportSize(DESK);
  });

  test("a pager shows the page that it names, in every list", async () => {
    const { page, go } = visitor;
    // What was asked for within the last two seconds would be shown again as it was: with one page.
    await go("/keys");
    await page.reload();
    await page.getByRole("heading", { name: "Keys" }).waitFor();
    await page.evaluate("window.lastPage = 9");
    for (const path of [...PAGED, `/reconciliations/${records.reconciliation}`]) {
      await go(path);
      await page.getByRole("button", { name: "Page 2", exact: true }).waitFor();
      await settled(page);
      const pager = (await controlsIn(page, "#page")).find(({ name }) => name === "Page 2");
      assert.ok(pager, path);
      const asked = page.waitForRequest((request) => /\bpage=2\b/.test(request.url()));
      await clickOn(page, "#page", pager, path);
      await asked;
      await page.waitForURL(/page=2/);
    }
    await page.evaluate("window.lastPage = undefined");
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

  test("what a merchant's administrator does with a charge is hit, sent for that charge, and can be read", async () => {
    await visitor.leave();
    visitor = await visit();
    await visitor.page.goto(`${gateway.url}/console/overview`);
    await signIn(visitor, gateway.sandbox.people.merchant_admin);
    await visitor.page.getByText(/approved charge/).waitFor();
    for (const one of walksOfAdministrator(records)) await walk(visitor, one);
    assert.deepEqual(visitor.complaints, []);
  });
});

const PAGED = ["/transactions", "/cards", "/batches", "/disputes", "/reconciliations", "/unresolved"] as const;
