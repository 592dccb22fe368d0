// What the list of batches shows where a batch's transactions are archived: its totals are told no more.

import type { Browser, Page } from "playwright-core";
import type { Gateway } from "../journeys/merchant.fixture.ts";
import { signInByToken, visit } from "./visitor.ts";

/** In the page. */
export const BATCHES = "Settlement batches, newest first";

/** Of a merchant that has a batch, and has one again afterwards. */
export async function seesArchivedBatch(browser: Browser, { url, sandbox, pool }: Gateway): Promise<void> {
  await pool`insert into archives (merchant_id, last_change) select id, '2999-01-01Z' from merchants`;
  try {
    const visitor = await visit(browser, url);
    const { page } = visitor;
    // Also where the days above the table come first.
    await page.route(isList, async (route) => {
      await page.getByText("Settlement day in").first().waitFor();
      await route.continue();
    });
    await page.goto(`${url}/console/batches`);
    await signInByToken(visitor, sandbox.api_token, "Settlement");
    await looksAtRows(page);
    await page.getByRole("cell", { name: "Archived", exact: true }).first().waitFor();
    await visitor.leave();
  } finally {
    await pool`delete from archives`;
  }
}

/** A row asks for its totals when it is seen. */
export async function looksAtRows(page: Page): Promise<void> {
  // What comes above the table moves it.
  await page.getByText("Settlement day in").first().waitFor();
  await page.getByRole("table", { name: BATCHES }).getByRole("row").last().scrollIntoViewIfNeeded();
}

const isList = ({ pathname }: URL) => pathname === "/api/batches";
