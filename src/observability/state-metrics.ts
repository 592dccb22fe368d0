// How things stand at the moment when somebody asks: what this process has in flight, its connections to the database, and what waits
// in the database for all nodes.

import { Gauge, type Registry } from "prom-client";
import type { ClockWatch } from "../gateway/clock-watch.ts";
import type { Parts } from "../gateway/parts.ts";
import type { Sql } from "../journal/database.ts";
import { type Backlog, readBacklog } from "./backlog.ts";

export interface State {
  readonly parts: Pick<Parts, "inFlight" | "retryQueue" | "failing" | "clock" | "halted">;
  /** By their purpose. */
  readonly pools: Readonly<Record<string, Sql>>;
  /** Asked what waits. Without it only this process is told of. */
  readonly backlog?: Sql | undefined;
  /** Of the machine: one process of a gateway watches its clock. */
  readonly clocks?: Pick<ClockWatch, "aheadMs"> | undefined;
}

/** Several scrapers, and the gauges of one reading, share an answer. */
const KEPT_MS = 5_000;
/** Beyond it the database counts as away. Prometheus waits for ten seconds. */
const PATIENCE_MS = 2_000;

/** Registers them. */
export function stateMetrics(register: Registry, { parts, pools, backlog, clocks }: State): void {
  const gauge = gaugesOf([register]);
  gauge("faregate_operations_in_flight", "Operations without an outcome that this process works on.", (set) =>
    set(parts.inFlight.size),
  );
  gauge("faregate_retry_queue_writes", "Outcomes that are known and could not be written yet.", (set) =>
    set(parts.retryQueue.size),
  );
  gauge("faregate_failing_processors", "Processor records that this process has taken out of the draw.", (set) =>
    set(parts.failing.count()),
  );
  gauge(
    "faregate_recovery_mode",
    "1 while this process charges nothing, since its database may be older than it was.",
    (set) => set(parts.halted() ? 1 : 0),
  );
  if (clocks !== undefined)
    gauge("faregate_clock_ahead_seconds", "How far this machine's clock is ahead of the database's.", (set) =>
      set((clocks.aheadMs() ?? Number.NaN) / 1_000),
    );
  poolMetrics([register], pools);
  if (backlog !== undefined) backlogMetrics([register], () => readBacklog(backlog, parts.clock.now()));
}

type Set = (value: number) => void;
const gaugesOf = (registers: Registry[]) => (name: string, help: string, read: (set: Set) => void | Promise<void>) =>
  new Gauge({
    ...{ name, help, registers },
    collect() {
      return read((value) => this.set(value));
    },
  });

function poolMetrics(registers: Registry[], pools: State["pools"]): void {
  new Gauge({
    name: "faregate_database_connections",
    help: "Connections to the database by pool; state most: as many as there may be.",
    ...{ labelNames: ["pool", "state"] as const, registers },
    collect() {
      for (const [pool, sql] of Object.entries(pools)) {
        const { busy, idle, most } = sql.counts();
        for (const [state, value] of Object.entries({ busy, idle, most })) this.set({ pool, state }, value);
      }
    },
  });
  new Gauge({
    name: "faregate_database_statements_waiting",
    help: "Statements that wait for a connection of their pool.",
    ...{ labelNames: ["pool"] as const, registers },
    collect() {
      for (const [pool, sql] of Object.entries(pools)) this.set({ pool }, sql.counts().waiting);
    },
  });
}

function backlogMetrics(registers: Registry[], ask: () => Promise<Backlog>): void {
  const read = keptFor(KEPT_MS, () => withinTime(ask()));
  const gauge = gaugesOf(registers);
  /** NaN is what Prometheus has for what nobody knows: no alert fires, and no graph shows a zero. */
  const one = (name: string, help: string, of: (backlog: Backlog) => number) =>
    gauge(name, help, async (set) => {
      const backlog = await read();
      set(backlog === undefined ? Number.NaN : of(backlog));
    });
  gauge("faregate_database_up", "1 if the database said what waits, within two seconds.", async (set) =>
    set((await read()) === undefined ? 0 : 1),
  );
  new Gauge({
    name: "faregate_unresolved_events",
    help: "Unresolved events by remedy and age, of all nodes.",
    ...{ labelNames: ["remedy", "age"] as const, registers },
    async collect() {
      const backlog = await read();
      this.reset();
      for (const { remedy, age, events } of backlog?.unresolved ?? []) this.set({ remedy, age }, events);
    },
  });
  one(
    "faregate_unresolved_oldest_seconds",
    "Age of the oldest unresolved event that is to be reversed or repeated, or waits for an operator.",
    ({ unresolvedOldestSeconds }) => unresolvedOldestSeconds,
  );
  one(
    "faregate_webhooks_due",
    "Webhooks that are due and not delivered, of all nodes.",
    ({ webhooks }) => webhooks.due,
  );
  one(
    "faregate_webhooks_oldest_due_seconds",
    "How long the webhook has been due that has been for longest.",
    ({ webhooks }) => webhooks.oldestSeconds,
  );
  one(
    "faregate_notifications_waiting",
    "Notifications of processors that are stored and not applied.",
    ({ notifications }) => notifications,
  );
  one(
    "faregate_auto_capture_lag_seconds",
    "How late the automatic capture is of the processor record that is latest; 0 if none is due.",
    ({ autoCaptureLagSeconds }) => autoCaptureLagSeconds,
  );
  one("faregate_plan_charges_due", "Payments of plans that are due and not charged.", ({ plans }) => plans.due);
  one(
    "faregate_plan_charges_pending",
    "Payments of plans that are being charged, or whose outcome is not known yet.",
    ({ plans }) => plans.pending,
  );
  one(
    "faregate_plan_charge_lag_seconds",
    "How late the payment of a plan is that has been due for longest; 0 if none is due.",
    ({ plans }) => plans.oldestSeconds,
  );
}

function keptFor<T>(ms: number, ask: () => Promise<T>): () => Promise<T> {
  let last: { readonly answer: Promise<T>; readonly sinceMs: number } | undefined;
  return () => {
    const nowMs = performance.now();
    if (last === undefined || nowMs - last.sinceMs >= ms) last = { answer: ask(), sinceMs: nowMs };
    return last.answer;
  };
}

/** Undefined: the database is away, or does not answer in time. */
async function withinTime<T>(asked: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
  });
  const answered = asked.catch(() => undefined);
  return Promise.race([answered, late]).finally(() => clearTimeout(timer));
}
