// A simulated node at the time of capture: others come between wherever it looks at the open authorizations.

import type { OpenAuthorizations } from "../../src/journal/auto-capture-rows.ts";
import { captureWhatIsDue } from "../../src/settlement/auto-capture.ts";
import type { SimulatedNode } from "../simulation/nodes.ts";
import type { Turns } from "../simulation/turns.ts";

export interface EveningNode {
  readonly node: SimulatedNode;
  readonly open: OpenAuthorizations;
  capture(): Promise<void>;
}

/** @param letGo frees what a node that was killed has taken; its last words may have reached the database late */
export function eveningNode(
  node: SimulatedNode,
  open: OpenAuthorizations,
  turns: Turns,
  letGo: () => Promise<void>,
): EveningNode {
  const way = () => turns.way(node.id);
  const reached = async <T>(call: () => Promise<T>): Promise<T> => {
    await way();
    const result = await call();
    await way();
    return result;
  };
  const disturbed: OpenAuthorizations = {
    ...open,
    due: (by) => reached(() => open.due(by)),
    // Waits for the others turn by turn, where the gateway looks again after a pause.
    lease: async (due, most, rested) => {
      for (let turn = 0; turn < MOST_TURNS; turn++) {
        const taken = await reached(() => open.lease(due, most, rested));
        if (taken.length > 0 || !(await open.leasedByOthers(due))) return taken;
        if (turn % SOME_TURNS === SOME_TURNS - 1) await letGo();
      }
      throw new Error("the others never end");
    },
    // Its lease is renewed by the real time, of which a node that was killed has no more.
    renew: async (due, ids) => (turns.killed(node.id) ? undefined : open.renew(due, ids)),
    release: (due, looked) => reached(() => open.release(due, looked)),
    putOff: (due, next) => reached(() => open.putOff(due, next)),
  };
  return { node, open, capture: () => captureWhatIsDue(node.parts, disturbed) };
}

const MOST_TURNS = 10_000;
const SOME_TURNS = 20;
