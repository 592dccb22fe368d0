// The mouse on the rows of lists: each place of a row opens that row's record, and each control in a row acts on that row's record.

import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { type Gateway, merchantOf } from "../journeys/merchant.fixture.ts";
import { startReceiver } from "../receiver.ts";
import type { List } from "./lists.fixture.ts";
import type { Visitor } from "./visitor.ts";

/** Room that belongs to a control: a click beside a switch does nothing. */
const WITH_CONTROL = "td:has(button, input)";

/** The first, the middle and the last. */
const threeOf = (count: number): readonly number[] => [0, Math.floor((count - 1) / 2), count - 1];

/** Each place of each row belongs to it, and a click on up to three of them, from the last, opens what they are about. */
export async function rowsOpenTheirRecords({ page, go }: Visitor, list: List, clicks = 3): Promise<void> {
  const ids = await list.ids();
  assert.ok(ids.length >= 3, `${list.table} has only ${ids.length} rows`);
  const rows = () => page.getByRole("table", { name: list.table, exact: true }).locator("tbody tr");
  const shown = () =>
    rows()
      .nth(ids.length - 1)
      .waitFor();
  await go(list.path);
  await shown();
  assert.equal(await rows().count(), ids.length, list.table);
  assert.deepEqual(await page.evaluate(`(${STRAY})(${JSON.stringify(list.table)})`), [], list.table);
  for (const [turn, at] of threeOf(ids.length).toReversed().slice(0, clicks).entries()) {
    const cells = rows().nth(at).locator(`td:visible:not(${WITH_CONTROL})`);
    await clickIn(page, cells.nth((await cells.count()) - 1 - (turn % (await cells.count()))), turn);
    await page.waitForURL(new RegExp(`/console${list.path}/[^/?]+$`));
    assert.equal(page.url().split("/").at(-1), ids[at], `row ${at} of ${list.table}`);
    await page.goBack();
    await shown();
  }
}

/** Places in rows at which the mouse would hit something else: another row, or what lies over the list. */
const STRAY = `(name) => {
  const table = [...document.querySelectorAll("table")].find((one) => one.getAttribute("aria-label") === name);
  return [...table.querySelectorAll("tbody tr")].flatMap((row, at) => {
    row.scrollIntoView({ block: "center" });
    return [...row.cells].filter((cell) => cell.checkVisibility()).flatMap((cell) => {
      const { left, top, width, height } = cell.getBoundingClientRect();
      const strays = [0.1, 0.5, 0.9].flatMap((right) => [0.1, 0.5, 0.9].map((down) =>
        document.elementFromPoint(left + width * right, top + height * down))).filter((hit) => hit?.closest("tr") !== row);
      return strays.length === 0 ? [] : ["row " + at + ", cell " + cell.cellIndex + ": " + strays[0]?.closest("tr")?.rowIndex];
    });
  });
}`;

const PLACES = [0.5, 0.1, 0.9] as const;

/** Where there is nothing but the cell itself, too. */
async function clickIn(page: Page, cell: Locator, turn: number): Promise<void> {
  await cell.scrollIntoViewIfNeeded();
  const box = await cell.boundingBox();
  assert.ok(box);
  const [right, down] = [PLACES[turn % 3] ?? 0.5, PLACES[(turn + 1) % 3] ?? 0.5];
  await page.mouse.click(box.x + box.width * right, box.y + box.height * down);
}

/** Each of the two switches of a record, and the room beside them. */
export async function switchesActOnTheirRecords({ page, go }: Visitor, gateway: Gateway): Promise<void> {
  const path = `/operator/merchants/${gateway.sandbox.merchant_id}/processors`;
  type Record = {
    readonly id: string;
    readonly name: string;
    readonly enabled: boolean;
    readonly in_rotation: boolean;
  };
  const records = async (): Promise<readonly Record[]> =>
    (await gateway.operator("GET", path)).body.processors.map(({ id, name, enabled, in_rotation }: Record) => ({
      id,
      name,
      enabled,
      in_rotation,
    }));
  await go("/processors");
  const rows = page.getByRole("table", { name: "Processors" }).locator("tbody tr");
  const before = await records();
  await rows.nth(before.length - 1).waitFor();
  for (const at of threeOf(before.length))
    for (const [cell, name] of [
      [0, "enabled"],
      [1, "in_rotation"],
    ] as const) {
      const then = await records();
      const control = rows.nth(at).locator(WITH_CONTROL).nth(cell);
      const box = await control.boundingBox();
      assert.ok(box);
      await page.mouse.click(box.x + 2, box.y + 2);
      assert.match(page.url(), /\/processors$/, "the room beside a switch opens nothing");
      await Promise.all([
        page.waitForResponse((response) => response.request().method() === "PATCH"),
        control.locator(".mantine-Switch-track").click(),
      ]);
      assert.match(page.url(), /\/processors$/);
      const expected = then.map((record, index) => (index === at ? { ...record, [name]: !record[name] } : record));
      assert.deepEqual(await records(), expected, `the switch ${name} of row ${at}`);
    }
  const [first, ...others] = await rows.all();
  for (const cell of [0, 1])
    await refusedOnce(page, "**/operator/processors/*", async () => {
      await first?.locator(WITH_CONTROL).nth(cell).locator(".mantine-Switch-track").click();
      await first?.getByRole("alert").filter({ hasText: REFUSAL }).waitFor();
    });
  for (const other of others) assert.equal(await other.getByRole("alert").count(), 0);
}

const REFUSAL = "Somebody else is changing it.";

/** What nobody did is told where it was clicked. */
async function refusedOnce(page: Page, path: string, act: () => Promise<void>): Promise<void> {
  const body = { error: { status: 409, code: "conflict", message: { base: [REFUSAL] } }, debug: [] };
  await page.route(path, (route) =>
    route.request().method() === "GET" ? route.continue() : route.fulfill({ status: 409, json: body }),
  );
  await act();
  await page.unroute(path);
}

/** The button of a row asks before it acts; what it acts on is this row's. */
export async function tokensAreRevokedInTheirRows({ page, go }: Visitor, gateway: Gateway): Promise<void> {
  const merchant = merchantOf(gateway);
  for (let more = 0; more < 3; more++) await merchant.token();
  const path = `/operator/merchants/${gateway.sandbox.merchant_id}/tokens`;
  const valid = async (): Promise<readonly boolean[]> =>
    (await gateway.operator("GET", path)).body.tokens.map(
      ({ revoked_at }: { readonly revoked_at: string | null }) => revoked_at === null,
    );
  const before = await valid();
  await go("/tokens");
  const rows = page.getByRole("table", { name: "API tokens" }).locator("tbody tr");
  await rows.nth(before.length - 1).waitFor();
  // The first one's is the token of this test.
  const [, middle = 0, last = 0] = threeOf(before.length);
  for (const at of [middle, last]) {
    const then = await valid();
    await rows.nth(at).getByRole("button", { name: "Revoke" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Not now" }).click();
    assert.deepEqual(await valid(), then);
    await rows.nth(at).getByRole("button", { name: "Revoke" }).click();
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await rows.nth(at).getByText("Revoked").waitFor();
    assert.deepEqual(await valid(), then.with(at, false), `the button of row ${at}`);
  }
}

/** Endpoints below each other, each with a switch of its own and rows that are sent again. */
export async function endpointsActAlone({ page, go }: Visitor, gateway: Gateway): Promise<void> {
  const receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()]);
  try {
    const path = `/operator/merchants/${gateway.sandbox.merchant_id}/webhooks`;
    for (const { url } of receivers) await gateway.operator("POST", path, { url });
    type Endpoint = { readonly id: string; readonly url: string; readonly enabled: boolean };
    const all = async (): Promise<readonly Endpoint[]> => (await gateway.operator("GET", path)).body.webhooks;
    await go("/webhooks");
    for (const [at, { url }] of receivers.entries()) {
      const panel = page.getByRole("region", { name: url });
      await panel.getByRole("button", { name: "Send a test" }).click();
      await receivers[at]?.got(1);
      await panel.getByRole("row").getByRole("button", { name: "Send again" }).click();
      await receivers[at]?.got(2);
      await Promise.all([
        page.waitForResponse((response) => response.request().method() === "PATCH"),
        panel.locator(".mantine-Switch-track").click(),
      ]);
      await refusedOnce(page, "**/replay", async () => {
        await panel.getByRole("row").getByRole("button", { name: "Send again" }).first().click();
        await panel.getByRole("alert").filter({ hasText: REFUSAL }).waitFor();
      });
      const off = (await all()).filter(({ enabled }) => !enabled).map((one) => one.url);
      assert.deepEqual(
        off,
        receivers.slice(0, at + 1).map((one) => one.url),
      );
    }
  } finally {
    await Promise.all(receivers.map((one) => one.close()));
  }
}

/** Rows that open below themselves show what they are about. */
export async function entriesOpenBelowThemselves({ page, go }: Visitor): Promise<void> {
  await go("/audit");
  const openers = page.getByRole("table").locator("tbody button[aria-expanded]");
  await openers.first().waitFor();
  const count = Math.min(await openers.count(), 50);
  for (const at of threeOf(count)) {
    const row = openers.nth(at);
    await row.click();
    const id = await row.getAttribute("aria-controls");
    assert.ok(id);
    await page.locator(`[id="${id}"]`).getByText(id.replace("entry-", ""), { exact: true }).waitFor();
    assert.equal(await row.locator("xpath=ancestor::tr/following-sibling::tr[1]").getAttribute("id"), id);
    await row.click();
    await page.locator(`[id="${id}"]`).waitFor({ state: "detached" });
  }
}
