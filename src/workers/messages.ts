// What the first process of a gateway and its workers tell each other.

import type { DatabaseAddress } from "../journal/database.ts";
import type { Reading } from "../observability/metrics.ts";
import type { PoolSizes } from "../pool-sizes.ts";

/** What one worker changed, and the others keep in memory for a while. */
export type Change =
  | { readonly kind: "processors-changed"; readonly merchantId: string }
  | { readonly kind: "clock-moved"; readonly aheadMs: number }
  /** A processor record is out of the draw since then, or in it again (null). */
  | { readonly kind: "processor-failing"; readonly processorId: string; readonly sinceMs: number | null };

export interface Begin {
  readonly kind: "begin";
  /** From 1 on; who takes its place has the same. */
  readonly number: number;
  readonly workers: number;
  readonly port: number;
  readonly address: DatabaseAddress;
  readonly sizes: PoolSizes;
  readonly heavySocket: string | undefined;
}

export type ToWorker =
  | Begin
  | { readonly kind: "stop" }
  | { readonly kind: "figures" }
  | { readonly kind: "alive?" }
  /** Another worker's, to be acknowledged by its number. */
  | { readonly kind: "change"; readonly nth: number; readonly change: Change }
  /** The worker's own change of this number. */
  | { readonly kind: "known"; readonly nth: number }
  /** Where the process for heavy requests is; undefined while there is none. */
  | { readonly kind: "heavy-worker"; readonly socket: string | undefined };

/** A worker that takes requests. */
export interface Ready {
  readonly kind: "ready";
  readonly url: string;
  /** Its number among the nodes of the database. */
  readonly node: number;
}

/** What concerns the other processes. */
export type ForOthers =
  | { readonly kind: "change"; readonly nth: number; readonly change: Change }
  | { readonly kind: "heavy-worker-wanted" };

export type ToPrimary =
  | Ready
  | { readonly kind: "cannot-start"; readonly why: string }
  | { readonly kind: "known"; readonly nth: number }
  | { readonly kind: "figures"; readonly figures: Reading | undefined }
  | { readonly kind: "alive" }
  | ForOthers;
