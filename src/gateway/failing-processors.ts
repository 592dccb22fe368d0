// Which processor records fail at charges, as this gateway sees it. Those are taken out of the draw: they come after all others. From time
// to time such a processor is asked a harmless question, and once it answers one charge is let through, to see how that ends.

import type { Clock } from "../clock.ts";
import type { ProcessorLog } from "../processors/kind.ts";
import type { Answer } from "../processors/processor.ts";
import { FailureCircuit } from "./failure-circuit.ts";
import { isReachable, type ProcessorAtWork } from "./processors-at-work.ts";

export interface FailingProcessors {
  /** Since when the record is out of the draw; undefined: it is not. */
  since(processorId: string): Date | undefined;
  /** Of how many records that is so. */
  count(): number;
  /** Whether a charge may be drawn to it now; asks its processor whether it answers, if that is due. */
  admits(atWork: ProcessorAtWork): boolean;
  /** A charge goes to the record. @returns to be called if it is not sent after all */
  drawn(processorId: string): () => void;
  /** How a charge ended there. */
  note(processorId: string, answer: Answer): void;
  /** @param tell told of what this process finds out; without it nobody is */
  tellOthers(tell: TellOthers): void;
  /** What another process of this gateway found out. */
  learn(processorId: string, since: Date | undefined): void;
}

/** @param since when it was taken out of the draw; undefined: it is in it again */
type TellOthers = (processorId: string, since: Date | undefined) => void;

const NOTHING = (): void => undefined;

/** Nothing fails yet. */
export function failingProcessors({
  clock,
  log,
}: {
  readonly clock: Clock;
  readonly log: ProcessorLog;
}): FailingProcessors {
  // Only of records at which something failed lately.
  const circuits = new Map<string, FailureCircuit>();
  let tell: TellOthers = () => undefined;

  async function probe(circuit: FailureCircuit, atWork: ProcessorAtWork): Promise<void> {
    circuit.answered(await isReachable(atWork), clock.now());
  }

  return {
    since: (processorId) => circuits.get(processorId)?.openSince,
    count: () => [...circuits.values()].filter(({ openSince }) => openSince !== undefined).length,
    admits(atWork) {
      const circuit = circuits.get(atWork.record.id);
      if (circuit === undefined) return true;
      if (circuit.beginsToAsk(clock.now())) void probe(circuit, atWork);
      return circuit.admits;
    },
    drawn: (processorId) => circuits.get(processorId)?.drawn(clock.now()) ?? NOTHING,
    note(processorId, answer) {
      const failed = isFailure(answer);
      const known = circuits.get(processorId);
      if (known === undefined && !failed) return;
      const circuit = known ?? new FailureCircuit();
      circuits.set(processorId, circuit);
      const changed = circuit.note(failed, clock.now());
      if (changed === "opened")
        log.warn(
          { processor: processorId, last: whyOf(answer) },
          "charges fail at a processor: it is taken out of the draw",
        );
      if (changed === "closed")
        log.info({ processor: processorId }, "a processor takes charges again: it is in the draw");
      if (changed !== undefined) tell(processorId, circuit.openSince);
      if (circuit.idle) circuits.delete(processorId);
    },
    tellOthers: (others) => {
      tell = others;
    },
    learn(processorId, since) {
      const circuit = circuits.get(processorId) ?? new FailureCircuit();
      circuit.learn(since, clock.now());
      if (circuit.idle) circuits.delete(processorId);
      else circuits.set(processorId, circuit);
    },
  };
}

/** For a reason of the processor's own, whatever the card. */
function isFailure(answer: Answer): boolean {
  switch (answer.kind) {
    case "not-sent":
    case "unanswered":
      return true;
    case "declined":
    case "undecided":
      return answer.category === "configuration" || answer.category === "try-later";
    case "approved":
    case "pending":
    case "action-required":
      return false;
  }
}

const whyOf = (answer: Answer): string =>
  answer.kind === "declined" || answer.kind === "undecided" ? `${answer.kind}: ${answer.category}` : answer.kind;
