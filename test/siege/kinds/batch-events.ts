// Readers of a batch's events that stop reading for as long as a statement may run, and then leave: the answers to others
// went astray then.

import { type Kind, requestText } from "../attack.ts";

/** The statement's deadline and a little more. */
const STOPPED_MS = 33_000;

export const stoppedBatchReaders: Kind = {
  name: "readers of batch events that stop for 33 seconds and leave",
  meets: ["200", "429", "503"],
  wage: (attack) =>
    attack.crowd(8, async (nth) => {
      const wire = attack.connect(attack.address(nth));
      const { operatorToken, batchId } = attack.ground;
      wire.send(
        requestText("GET", `/operator/batches/${batchId}/events`, { authorization: `Bearer ${operatorToken}` }),
      );
      wire.socket.once("data", () => wire.socket.pause());
      await Promise.race([attack.sleep(STOPPED_MS), wire.ended]);
      wire.leave();
    }),
};
