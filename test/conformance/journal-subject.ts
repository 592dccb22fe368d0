// What an implementation of the journal's contract brings to its conformance suite: nodes that write to the same records,
// and a look at the order in which transactions were numbered.

import type { Journal } from "../../src/journal/journal.ts";
import type { Backlog } from "../../src/journal/nodes.ts";
import type { HandClock } from "../hand-clock.ts";

export interface JournalNode {
  readonly id: number;
  readonly journal: Journal;
  readonly backlog: Backlog;
  readonly clock: HandClock;
}

export interface Numbered {
  readonly number: number;
  readonly id: string;
  readonly createdAt: Date;
}

export interface JournalSubject {
  /** Nodes of one installation, which see each other's work at once. */
  readonly nodes: readonly [JournalNode, JournalNode];
  newMerchant(): Promise<string>;
  /** A merchant's transactions, in the order of their numbers. */
  numbered(merchantId: string): Promise<readonly Numbered[]>;
  /** As if this node had sent no heartbeat for long. */
  declareDead(node: JournalNode): Promise<void>;
  end(): Promise<void>;
}

export type Rule = (name: string, check: (subject: JournalSubject) => Promise<void>) => void;
