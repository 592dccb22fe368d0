// faregate clock
import { setTimeout as sleep } from "node:timers/promises";
import { type Command, InvalidArgumentError } from "commander";
import { openAuthorizations } from "../journal/auto-capture-rows.ts";
import type { Sql } from "../journal/database.ts";
import { clockOffset, saveClockOffset } from "../journal/installation.ts";
import { audited } from "../merchants/audit.ts";
import type { Author, Backoffice } from "../merchants/backoffice.ts";
import { timestamp } from "../validation/fields.ts";
import { leaf, type Output } from "./command.ts";
import { withOffice } from "./office.ts";
import { print } from "./print.ts";
import { Refused } from "./refused.ts";

const LATEST = new Date("2200-01-01T00:00:00Z");
const POLL_MS = 100;
/** The gateways look once a second; a large book takes longer. */
const LONGEST_WAIT_MS = 600_000;

export function clockCommand(faregate: Command): void {
  leaf(
    faregate,
    "clock",
    "Show the sandbox's clock, or move it forward. Running gateways make the automatic captures that fall due on the way.",
    "faregate clock --to 2031-03-03T15:00:00Z",
  )
    .option("--to <time>", "move it to this time: not before its current time, and before the year 2200", instantOf)
    .action(async ({ json, to }: Output & { readonly to?: Date }) => {
      const now = await withOffice(async (office, author) => {
        if (office.mode === "live") throw new Refused("live mode has no movable clock");
        if (to !== undefined) await move(office, author, to);
        return timestamp(await timeOf(office.sql));
      });
      print(json, { now }, () => `The sandbox's clock: ${now}`);
    });
}

async function move(office: Backoffice, author: Author, to: Date): Promise<void> {
  const { sql } = office;
  const start = await timeOf(sql);
  // It shows whole seconds, and what it shows has not passed.
  if (to.getTime() < Math.floor(start.getTime() / 1000) * 1000)
    throw new Refused(`--to must not be before the clock's time, ${timestamp(start)}`, { usage: true });
  const open = openAuthorizations(sql);
  for (let [next] = await open.due(to); next !== undefined; [next] = await open.due(to)) {
    if (!(await someGatewayRuns(sql)))
      throw new Refused(
        `no gateway is running to make the captures that are due at ${timestamp(next.dueAt)}: start it, then move the clock (now ${timestamp(await timeOf(sql))})`,
      );
    await advance(sql, next.dueAt);
    await untilDone(() => open.due(next?.dueAt ?? to), sql);
  }
  await advance(sql, to);
  const before = { now: timestamp(start) };
  const after = { now: timestamp(await timeOf(sql)) };
  const entry = { action: "clock.change", subject: ["clock", "sandbox"], before, after } as const;
  await audited(office, author, async () => ({ result: undefined, entry }));
}

async function untilDone(due: () => Promise<readonly unknown[]>, sql: Sql): Promise<void> {
  const end = Date.now() + LONGEST_WAIT_MS;
  while ((await due()).length > 0) {
    if (Date.now() > end || !(await someGatewayRuns(sql)))
      throw new Refused(
        `the gateways have not captured what is due: the clock stands at ${timestamp(await timeOf(sql))}`,
      );
    await sleep(POLL_MS);
  }
}

const timeOf = async (sql: Sql): Promise<Date> => new Date(Date.now() + (await clockOffset(sql)));

const advance = async (sql: Sql, to: Date): Promise<void> =>
  saveClockOffset(sql, Math.max(await clockOffset(sql), Math.ceil(to.getTime() - Date.now())));

/** A node's heartbeat comes every second. */
async function someGatewayRuns(sql: Sql): Promise<boolean> {
  return (await sql`select 1 from nodes where seen_at > now() - interval '4 seconds' limit 1`).length > 0;
}

function instantOf(text: string): Date {
  const instant = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) || !(instant < LATEST))
    throw new InvalidArgumentError(
      "It must be a time before 2200 with its offset from UTC, like 2031-03-03T15:00:00Z.",
    );
  return instant;
}
