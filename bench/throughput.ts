// Sales a second and the time of an answer: the gateway as it ships beside the same server whose writes are not grouped
// and the same server without a database. Rounds go through all of them in turn, so that a machine whose speed drifts
// favours none.

import type { RunningGateway } from "./gateway.ts";
import { type Plan, TARGET_CONNECTIONS } from "./plan.ts";
import type { Measured, Sender } from "./sender.ts";
import { median } from "./statistics.ts";

export const SUBJECTS = ["shipped", "ungrouped", "no-database"] as const;
export type Subject = (typeof SUBJECTS)[number];

/** Medians over the rounds. */
export interface Point extends Measured {
  readonly subject: Subject;
  readonly connections: number;
}

/** Starts a gateway on a fresh data folder. */
export type Start = (program: readonly string[]) => Promise<RunningGateway>;

export const programOf = (subject: Subject, writers: number): readonly string[] =>
  subject === "shipped" ? ["src/main.ts"] : ["bench/server.ts", subject, String(writers)];

/** Sales a second by the number of writers that nothing but single rows go through. */
export async function ungroupedByWriters(
  plan: Plan,
  start: Start,
  sender: Sender,
  say: (line: string) => void,
): Promise<ReadonlyMap<number, number>> {
  const rates = new Map<number, number>();
  for (const writers of plan.writers) {
    const gateway = await start(programOf("ungrouped", writers));
    await sender.send(gateway, TARGET_CONNECTIONS, { seconds: plan.secondsAWriter });
    const { salesPerSecond } = await sender.send(gateway, TARGET_CONNECTIONS, { seconds: plan.secondsAWriter });
    await gateway.stop();
    rates.set(writers, salesPerSecond);
    say(`  ${writers} writers: ${salesPerSecond.toFixed(0)} sales/s`);
  }
  return rates;
}

export async function throughput(
  plan: Plan,
  gateways: ReadonlyMap<Subject, RunningGateway>,
  sender: Sender,
  say: (line: string) => void,
): Promise<readonly Point[]> {
  for (const gateway of gateways.values())
    await sender.send(gateway, TARGET_CONNECTIONS, { seconds: plan.warmUpSeconds });
  const measured = new Map<string, Measured[]>();
  for (let round = 0; round < plan.rounds; round++) {
    say(`  round ${round + 1} of ${plan.rounds}`);
    const inTurn = [...SUBJECTS.slice(round % SUBJECTS.length), ...SUBJECTS.slice(0, round % SUBJECTS.length)];
    for (const connections of plan.connections)
      for (const subject of inTurn) {
        const gateway = gateways.get(subject);
        if (gateway === undefined) throw new Error(`${subject} was not started`);
        const key = `${subject} ${connections}`;
        const point = await sender.send(gateway, connections, { seconds: plan.secondsAPoint });
        measured.set(key, [...(measured.get(key) ?? []), point]);
      }
  }
  return plan.connections.flatMap((connections) =>
    SUBJECTS.map((subject) => {
      return { subject, connections, ...medians(measured.get(`${subject} ${connections}`) ?? []) };
    }),
  );
}

function medians(rounds: readonly Measured[]): Measured {
  const of = (value: (round: Measured) => number) => median(rounds.map(value));
  return {
    sales: of(({ sales }) => sales),
    salesPerSecond: of(({ salesPerSecond }) => salesPerSecond),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    senderMicrosPerSale: of(({ senderMicrosPerSale }) => senderMicrosPerSale),
    gatewayMicrosPerSale: of(({ gatewayMicrosPerSale }) => gatewayMicrosPerSale),
    databaseMicrosPerSale: of(({ databaseMicrosPerSale }) => databaseMicrosPerSale),
  };
}
