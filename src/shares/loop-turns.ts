// Which requests begin in one turn of the event loop: a few, so that a turn stays short and what is in flight goes on before more
// is begun. Those of known callers, those of strangers and health checks have places of their own, which go round among the holders
// (a merchant, an address) that wait: whoever sends a thousand requests at once waits for the thousand, and nobody else does.

/** Of the known, of strangers and of health checks, each. Some 2 ms of work. */
const MOST_IN_A_TURN = 8;

export interface Holder {
  readonly name: string;
  readonly known: boolean;
  /** A proxy, behind which are many. */
  readonly many?: true;
  /** Of whomever: a load balancer's probe waits for no stranger. */
  readonly checksHealth?: boolean;
}

export interface LoopTurns {
  /** Begins the work, now or in one of the next turns. How many wait is bounded by whoever calls. */
  begin(holder: Holder, work: () => void): void;
}

/** @param mostInATurn of known holders, and as many of strangers and of health checks */
export function loopTurns(mostInATurn = MOST_IN_A_TURN): LoopTurns {
  const known = new Round();
  const strangers = new Round();
  const healthChecks = new Round();
  let isTurnSeen = false;

  const nextTurn = (): void => {
    isTurnSeen = false;
    for (const round of [known, strangers, healthChecks]) {
      round.begun = 0;
      while (round.begun < mostInATurn && round.isWaitedFor) begin(round, round.next());
    }
  };

  const begin = (round: Round, work: () => void): void => {
    round.begun++;
    seeNextTurn();
    work();
  };

  const seeNextTurn = (): void => {
    if (isTurnSeen) return;
    isTurnSeen = true;
    setImmediate(nextTurn);
  };

  return {
    begin(holder, work) {
      const round = holder.checksHealth ? healthChecks : holder.known ? known : strangers;
      if (round.begun < mostInATurn && !round.isWaitedFor) return begin(round, work);
      round.enqueue(holder.name, work);
      seeNextTurn();
    },
  };
}

/** A queue for each holder; the first holder is the one whose turn it is. */
class Round {
  /** In this turn of the loop. */
  begun = 0;
  readonly #waiting = new Map<string, (() => void)[]>();

  get isWaitedFor(): boolean {
    return this.#waiting.size > 0;
  }

  enqueue(holder: string, work: () => void): void {
    const queue = this.#waiting.get(holder);
    if (queue === undefined) this.#waiting.set(holder, [work]);
    else queue.push(work);
  }

  next(): () => void {
    const [[holder, queue] = ["", []]] = this.#waiting;
    const [work = () => undefined] = queue.splice(0, 1);
    this.#waiting.delete(holder);
    if (queue.length > 0) this.#waiting.set(holder, queue);
    return work;
  }
}
