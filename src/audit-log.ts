// What a gateway does of itself for its audit log: it says how the log ends, removes what is old, and watches the rest.

import type { FastifyBaseLogger } from "fastify";
import type { Core } from "./core.ts";
import { every } from "./gateway/every.ts";
import { slowerClock } from "./gateway/slower-clock.ts";
import type { Sql } from "./journal/database.ts";
import { type AuditKey, AuditLogBroken, openChain } from "./merchants/audit-chain.ts";
import { removeOldEntries } from "./merchants/audit-retention.ts";
import { auditWatch, checkNewest } from "./merchants/audit-watch.ts";

const REMOVE_OLD_EVERY_MS = 3_600_000;
const WATCH_EVERY_MS = 1_000;

/** Charges go on whatever became of the audit log; changes by operators do not. */
export async function tellAuditLog(pool: Sql, key: AuditKey, now: Date, log: FastifyBaseLogger): Promise<void> {
  try {
    const { begun, last, hash } = await openChain(pool, key, now);
    if (last === 0) log.info({ begun }, "the audit log is empty");
    else log.info({ begun, last, hash }, "the audit log ends with this entry");
    tellBroken(log, await checkNewest(pool, key, now));
  } catch (fault) {
    if (!(fault instanceof AuditLogBroken)) throw fault;
    log.error({ fault: fault.message }, "the audit log was tampered with or damaged: run faregate audit verify");
  }
}

/** Goes on until it is stopped. */
export function keepAuditLog({ parts: { clock }, office, pools: { background } }: Core, log: FastifyBaseLogger) {
  const removing = every(REMOVE_OLD_EVERY_MS, log, async () => {
    const { now } = await slowerClock(clock, background);
    return (await removeOldEntries(background, await office.auditKey(), now())) ? "at once" : "pause";
  });
  const watch = office.auditKey().then((key) => auditWatch(background, key, () => clock.now()));
  const watching = every(WATCH_EVERY_MS, log, async () => {
    tellBroken(log, await (await watch).next());
    return "pause";
  });
  return { stop: () => Promise.all([removing.stop(), watching.stop()]) };
}

function tellBroken(log: FastifyBaseLogger, finding: string | undefined): void {
  if (finding !== undefined)
    log.error(
      { finding },
      "the audit log was tampered with or damaged, so changes are refused: run faregate audit verify",
    );
}
