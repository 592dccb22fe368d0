// What the list of batches shows where a batch's transactions are archived: its totals are told no more.

import type { Browser } from "playwright-core";
import type { Gateway } from "../journeys/merchant.fixture.ts";
import { signInByToken, visit } from "./visitor.ts";

/** Of a merchant that has a batch, and has one again afterwards. */
export async function seesArchivedBatch(browser: Browser, { url, sandbox, pool }: Gateway): Promise<void> {
  await pool`insert into archives (merchant_id, last_change) select id, '2999-01-01Z' from merchants`;
  const visitor = await visit(browser, url);
  await visitor.page.goto(`${url}/console/batches`);
  await signInByToken(visitor, sandbox.api_token, "Settlement");
  await visitor.page.getByRole("cell", { name: "Archived", exact: true }).first().waitFor();
  await visitor.leave();
  await pool`delete from archives`;
}
