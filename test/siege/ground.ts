// What the attackers know: where the gateway is, their merchants' tokens, and what is on record there. Plain data, since it
// is sent to their processes.

export const MERCHANTS = ["A", "B", "C", "D"] as const;
export type MerchantName = (typeof MERCHANTS)[number];

export interface Account {
  readonly merchantId: string;
  readonly processorId: string;
  readonly userId: string;
  /** One for each kind of attacker, by its name: no attacker uses up another's rate limit. */
  readonly tokens: Readonly<Record<string, string>>;
  /** Some transactions of its own. */
  readonly known: readonly string[];
}

export interface Ground {
  readonly port: number;
  readonly operatorToken: string;
  readonly merchants: Readonly<Record<MerchantName, Account>>;
  /** The batch with the most events. */
  readonly batchId: string;
}

export const HOST = "127.0.0.1";

/** Each party calls from loopback addresses of its own, as it would from machines of its own. */
export const ADDRESSES = {
  victim: "127.0.0.2",
  health: "127.0.0.3",
  operator: "127.0.0.4",
  stock: "127.0.0.5",
} as const;

/** The nth address of a kind's own 250. */
export const addressOf = (kind: number, nth: number): string => `127.0.${10 + kind}.${1 + (nth % 250)}`;

/** One of sixty thousand that nobody else has. */
export const anyAddress = (nth: number): string => `127.77.${(nth >> 8) & 255}.${1 + (nth % 250)}`;
