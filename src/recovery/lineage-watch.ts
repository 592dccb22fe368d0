// Watches which lineage of the database this process is on, and halts it where the database may be older than what merchants were told.
//
// - `known`: the lineage is the accepted one. Charges are taken and processors are asked.
// - `checking`: another lineage was found, as after a failover. Nothing goes out until each node that was alive has found all that it
//   knew to be committed; then the lineage is accepted, and the state is `known` again.
// - `recovery`: something is missing, or nobody can vouch for it. Nothing goes out until an operator releases it
//   (`faregate recovery release`).

import { every } from "../gateway/every.ts";
import type { Log } from "../gateway/log.ts";
import type { SessionFence, Sql } from "../journal/database.ts";
import { KEPT_DAYS } from "../journal/kept-keys.ts";
import {
  acceptFirst,
  acceptIfAllVouch,
  enterRecovery,
  type Lineage,
  type LineageState,
  type LostWrite,
  lineageExpression,
  lostOf,
  readLineage,
  vouchFor,
} from "../journal/lineage.ts";
import { ConnectionFault } from "../journal/sql/faults.ts";
import { AcknowledgedWrites } from "./acknowledged-writes.ts";
import { olderThan, readFence, writeFence } from "./fence-file.ts";

const EVERY_MS = 1_000;
const VOUCHED_WITHIN_MS = 15_000;
const REMIND_EVERY_MS = 60_000;
/** Those of the time that was lost, with a day for clocks that differ. */
const KEYS_EXPIRE_MS = (KEPT_DAYS + 1) * 86_400_000;
/** Longer than any operation is in flight. */
const MAY_HAVE_LOST_MS = 600_000;

type State =
  | { readonly kind: "known" }
  | { readonly kind: "checking"; readonly sinceMs: number }
  | { readonly kind: "recovery"; readonly reason: string };

/** Why nothing goes out now. */
export type Halted = Exclude<State, { readonly kind: "known" }>;

export interface LineageWatchOptions {
  readonly sql: Sql;
  readonly log: Log;
  readonly fenceFile?: string | undefined;
  /** How long a new lineage waits for nodes to vouch for it. */
  readonly vouchedWithinMs?: number | undefined;
}

/** Of one process. */
export class LineageWatch {
  readonly writes = new AcknowledgedWrites();
  /** For the sessions that write or look for work. */
  readonly sessions: SessionFence;
  readonly #options: LineageWatchOptions;
  #sql: Sql;
  #node = 0;
  #state: State = { kind: "known" };
  /** What this process works on. */
  #lineage: Lineage | undefined;
  /** With this start of its server. */
  #session: string | undefined;
  #epoch = 0;
  #flushed = 0;
  /** Whether this process has worked on the lineage before, and so knows what must be there. */
  #ranBefore = false;
  #remindedMs = 0;
  #looking: Promise<void> | undefined;
  #changedMs = Number.NEGATIVE_INFINITY;
  #recoveredSince: string | null = null;

  private constructor(options: LineageWatchOptions, expression: string) {
    this.#options = options;
    this.#sql = options.sql;
    this.sessions = { lineage: expression, began: (lineage) => this.#sessionBegan(lineage) };
  }

  /** Finds out how the database stands. The database's first gateway accepts its lineage. */
  static async open(options: LineageWatchOptions): Promise<LineageWatch> {
    const { sql, fenceFile } = options;
    const watch = new LineageWatch(options, await lineageExpression(sql));
    const fence = fenceFile === undefined ? undefined : readFence(fenceFile);
    let found = await readLineage(sql, watch.sessions.lineage);
    if (found.lineage === null) return watch;
    const older = fence && olderThan(fence, found);
    const sameEpoch = fence !== undefined && fence.epoch === found.accepted?.epoch;
    const lost = sameEpoch ? await lostOf(sql, fence.newest) : [];
    if (lost.length > 0) await enterRecovery(sql, lacks(lost), lost);
    else if (older !== undefined) await enterRecovery(sql, older, []);
    else if (found.accepted === null) await acceptFirst(sql, found.lineage);
    found = await readLineage(sql, watch.sessions.lineage);
    watch.#follow(found);
    await watch.#judge(found);
    return watch;
  }

  /**
   * Looks once a second, until it is stopped.
   * @param node of this process, which is registered
   * @param sql which no slower work waits for
   */
  start(node: number, sql: Sql): { stop(): Promise<void> } {
    [this.#node, this.#sql] = [node, sql];
    this.#ranBefore = this.#state.kind === "known";
    return every(EVERY_MS, this.#options.log, async () => {
      await this.round();
      return "pause";
    });
  }

  /** The lineage that was found; null on a standby. */
  get found(): Lineage | null {
    return this.#lineage ?? null;
  }

  /** Undefined: charges are taken, and processors are asked. */
  get halted(): Halted | undefined {
    return this.#state.kind === "known" ? undefined : this.#state;
  }

  /** Whether an intent that this process wrote may be gone: on this lineage, or one that began a little while ago. */
  get mayHaveLost(): boolean {
    return this.#state.kind !== "known" || performance.now() - this.#changedMs < MAY_HAVE_LOST_MS;
  }

  /** Whether a key of a request may be known by what was adopted alone: of a recovery mode that ended, until its keys have expired. */
  get keysWereLost(): boolean {
    if (this.#recoveredSince === null) return false;
    return Date.now() - Date.parse(this.#recoveredSince) < KEYS_EXPIRE_MS;
  }

  /** Looks now, or waits for the look that is under way. */
  round(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    await this.#judge(await readLineage(this.#sql, this.sessions.lineage));
    this.#remind();
  }

  /** Of a session that writes or looks for work, before its first statement. */
  #sessionBegan(lineage: Lineage | null): void {
    if (lineage === null || this.#session === undefined || lineage === this.#session) return;
    if (this.#state.kind === "known") this.#check("the database's server has started again");
    void this.round().catch(() => undefined);
    throw new ConnectionFault(
      "OTHER_LINEAGE",
      "the database's server has started again, and what it has is being checked",
    );
  }

  async #judge(found: LineageState): Promise<void> {
    const { lineage, accepted, recovery } = found;
    // Before charges are taken again.
    this.#recoveredSince = found.recoveredSince;
    // A standby takes no writes, so nothing can go out.
    if (lineage === null) return;
    if (recovery !== null) {
      this.#follow(found);
      return this.#enter(recovery.reason);
    }
    if (accepted === null) return;
    if (accepted.lineage !== lineage) return this.#vouch(found, accepted, lineage);
    if (accepted.epoch < this.#epoch)
      return this.#refuse(found, "the database has an older history than the one that this gateway worked on");
    const same = accepted.epoch === this.#epoch;
    if (same && found.flushed < this.#flushed) {
      const lost = this.#flushed - found.flushed;
      return this.#refuse(found, `the database has ${lost} bytes of its log less than this gateway knew to be written`);
    }
    // A server that starts again may have been put back from a copy of its disk, with the same lineage.
    if (same && found.session !== this.#session) {
      const lost = await lostOf(this.#sql, this.writes.all());
      if (lost.length > 0) return this.#refuse(found, lacks(lost), lost);
    }
    this.#goOn(found, accepted.epoch);
  }

  #follow({ lineage, session }: LineageState): void {
    this.#lineage = lineage ?? undefined;
    this.#session = session ?? undefined;
  }

  async #vouch(found: LineageState, before: NonNullable<LineageState["accepted"]>, lineage: Lineage): Promise<void> {
    const { log } = this.#options;
    const sql = this.#sql;
    const { sinceMs } = this.#check("the database is on another history");
    if (this.#ranBefore && this.#node !== 0) {
      const lost = await lostOf(sql, this.writes.all());
      if (lost.length > 0) return this.#refuse(found, lacks(lost), lost);
      await vouchFor(sql, this.#node, lineage);
      const silent = await acceptIfAllVouch(sql, before, lineage);
      if (silent.length === 0) {
        log.warn({ lineage }, "the database is on another history, and all that was committed is there");
        return this.#goOn(found, before.epoch + 1);
      }
    }
    if (performance.now() - sinceMs > (this.#options.vouchedWithinMs ?? VOUCHED_WITHIN_MS))
      await this.#refuse(
        found,
        "the database is on another history than the gateways accepted, as after a restore or a failover, and no gateway " +
          "that ran before can say that nothing is missing",
      );
  }

  async #refuse(found: LineageState, reason: string, lost: readonly LostWrite[] = []): Promise<void> {
    await enterRecovery(this.#sql, reason, lost);
    this.#follow(found);
    this.#enter(reason);
  }

  #check(why: string): { readonly sinceMs: number } {
    if (this.#state.kind === "checking") return this.#state;
    const state = { kind: "checking", sinceMs: performance.now() } as const;
    this.#state = state;
    this.#options.log.warn({}, `${why}: nothing is charged until it is known what is there`);
    return state;
  }

  #enter(reason: string): void {
    if (this.#state.kind === "recovery") return;
    this.#state = { kind: "recovery", reason };
    this.#remindedMs = 0;
    this.#remind();
  }

  #goOn(found: LineageState, epoch: number): void {
    const { log, fenceFile } = this.#options;
    const { lineage, flushed } = found;
    if (this.#state.kind !== "known") {
      log.info({ lineage }, "charges are taken again");
      // What was lost is known and released.
      if (this.#state.kind === "recovery") this.writes.forget();
      this.#changedMs = performance.now();
    }
    this.#state = { kind: "known" };
    this.#follow(found);
    [this.#epoch, this.#flushed] = [epoch, flushed];
    this.#ranBefore = this.#node !== 0;
    if (fenceFile !== undefined && lineage !== null)
      writeFence(fenceFile, { lineage, epoch, flushed, newest: this.writes.newest() });
  }

  #remind(): void {
    if (
      this.#state.kind !== "recovery" ||
      (this.#remindedMs > 0 && performance.now() - this.#remindedMs < REMIND_EVERY_MS)
    )
      return;
    this.#remindedMs = performance.now();
    this.#options.log.error(
      { reason: this.#state.reason },
      "recovery mode: nothing is charged, and no processor is asked. Run: faregate recovery show",
    );
  }
}

const lacks = (lost: readonly LostWrite[]): string =>
  `the database lacks ${lost.length} operations that it had committed`;
