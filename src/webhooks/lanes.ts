// Places for endpoints that are being served: a quick lane and a slow one, shared fairly among merchants. An endpoint keeps a place in
// the quick lane for a second at most, so that quick endpoints never wait for slow ones.

import { fairTurns, type Release, type TurnBounds, type Turns } from "../shares/turns.ts";

/** Whoever takes longer to answer is slow. */
export const QUICK_MS = 500;
/** For what is unanswered then, to find a place in the slow lane. */
const CHANGE_LANES_MS = 500;
/** A turn in the slow lane ends with the answers to what was begun by then. */
const SLOW_TURN_MS = 5_000;

/** A merchant that has more endpoints being served takes turns with itself. */
const QUICK: TurnBounds = { atOnce: 64, mostOfOne: 8, mostWaiting: 2_048, mostWaitingOfOne: 64 };
/** As many of one as it may have endpoints: one that was found slow by mistake does not wait for its merchant's others. */
const SLOW: TurnBounds = { atOnce: 256, mostOfOne: 16, mostWaiting: 2_048, mostWaitingOfOne: 64 };

export type Lane = "quick" | "slow";

export interface Turn {
  readonly lane: Lane;
  /** Something is being sent. Time is counted from the first on: what comes before is not the endpoint's. */
  sending(): void;
  /** Nothing more is to be begun. */
  over(): boolean;
  /** What is unanswered is to be given up: others wait, and the slow lane is full. */
  readonly cut: AbortSignal;
  end(): void;
}

export interface Lanes {
  /** @throws what the signal says; ShareUsedUp */
  take(lane: Lane, merchantId: string, signal: AbortSignal): Promise<Turn>;
}

export function openLanes(): Lanes {
  const lanes = { quick: fairTurns(QUICK), slow: fairTurns(SLOW) };
  return {
    take: async (lane, merchantId, signal) => {
      const place = await lanes[lane].take(merchantId, signal);
      return lane === "quick" ? quickTurn(place, lanes.slow, merchantId) : slowTurn(place);
    },
  };
}

function slowTurn(end: Release): Turn {
  let overAt = Number.POSITIVE_INFINITY;
  return {
    lane: "slow",
    sending: () => {
      overAt = Math.min(overAt, performance.now() + SLOW_TURN_MS);
    },
    over: () => performance.now() >= overAt,
    cut: new AbortController().signal,
    end,
  };
}

function quickTurn(place: Release, slow: Turns, merchantId: string): Turn {
  let [over, ended] = [false, false];
  let leave = place;
  const cut = new AbortController();
  const noMore = new AbortController();
  const changeLanes = async () => {
    over = true;
    timer = setTimeout(() => noMore.abort(), CHANGE_LANES_MS);
    try {
      const other = await slow.take(merchantId, noMore.signal);
      leave();
      leave = other;
      if (ended) leave();
    } catch {
      if (!ended) cut.abort();
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const sending = () => {
    timer ??= setTimeout(changeLanes, QUICK_MS);
  };
  const end = () => {
    ended = true;
    clearTimeout(timer);
    noMore.abort();
    leave();
  };
  return { lane: "quick", sending, over: () => over, cut: cut.signal, end };
}
