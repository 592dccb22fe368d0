// The harmless question whether a processor answers now, with the deadline of any other question to it.

import type { ProcessorAtWork } from "./processors-at-work.ts";

/** @param stopping nobody waits for the answer any more */
export const isReachable = (
  { processor, timeoutMs }: Pick<ProcessorAtWork, "processor" | "timeoutMs">,
  stopping?: AbortSignal,
): Promise<boolean> => {
  const deadline = AbortSignal.timeout(timeoutMs);
  return processor.health(stopping === undefined ? deadline : AbortSignal.any([deadline, stopping])).then(
    ({ reachable }) => reachable,
    () => false,
  );
};
