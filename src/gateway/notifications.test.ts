import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDatabase } from "../../test/database.ts";
import { installation, record, render } from "../../test/gateway-in-memory.ts";
import { postgresInstallation } from "../../test/postgres-installation.ts";
import { PROCESSOR_RESPONSE } from "../../test/transactions.ts";
import { unreliable } from "../../test/unreliable-journal.ts";
import { keepNotifications } from "../journal/notifications.ts";
import type { Transaction } from "../payment/transaction.ts";
import { startApplying } from "./notifications.ts";
import { conclusionOf, neverAnswered } from "./outcome.ts";

const USD = record();
const { merchantId, id: processorId } = USD;

test("news of a charge that is given up while they are applied are kept, and the charge stays on the list to be taken back", async (t) => {
  const database = postgresInstallation(await freshDatabase());
  t.after(() => database.end());
  await database.addMerchant(merchantId);
  const made = installation([USD]);
  const { journal } = await database.join({ clock: made.clock });
  const opened: Transaction[] = [];
  const stopping = made.join(() =>
    unreliable(
      {
        ...journal,
        open: (intent, ...rest) => {
          opened.push(intent);
          return journal.open(intent, ...rest);
        },
      },
      { conclude: ["stops before"] },
    ),
  );
  void stopping.charge();
  while (made.books.asked.length === 0) await new Promise(setImmediate);
  const [transaction] = opened;
  assert.ok(transaction);
  const [event] = transaction.events;
  const now = made.clock.now();
  const notification = {
    ...{
      id: "told",
      occurredAt: now,
      about: { transactionId: transaction.id, reference: event.id },
      said: "it is paid",
    },
    news: { kind: "succeeded", processorResponse: PROCESSOR_RESPONSE } as const,
  };
  await keepNotifications(database.pool, { merchantId, processorId }, [notification], now);
  const giveUp = async () => {
    const outcome = neverAnswered({ transaction, event }, now);
    await journal.conclude(conclusionOf(transaction, event, outcome, undefined));
  };
  const { parts } = made.join(() => unreliable(journal, { conclude: [giveUp] }));
  const applying = startApplying(parts, database.pool, render);
  let applied: readonly { result: string; why: string }[] = [];
  const until = Date.now() + 20_000;
  while (applied.length === 0 && Date.now() < until)
    applied = await database.pool<{ result: string; why: string }[]>`select result, why from applied_notifications`;
  await applying.stop();
  assert.deepEqual([...applied], [{ result: "kept", why: "the charge was given up, and is taken back" }]);
  const waiting = await database.pool`select sequence, remedy from unresolved where transaction_id = ${transaction.id}`;
  assert.deepEqual([...waiting], [{ sequence: 1, remedy: "reverse" }]);
  const stored = await journal.find(merchantId, transaction.id);
  assert.equal(stored?.events[0].outcome?.kind, "unanswered");
});
