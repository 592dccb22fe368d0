// Requests that come again while the gateway has no room for them, as it tells their clients to: on a busy machine what is heavy waits
// for longer than it may. Whoever tests when that is said asks without this.

import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, callers } from "./gateway.ts";

const PATIENCE_MS = 120_000;
const AGAIN_AFTER_MS = 100;

type Told = Pick<Answer, "status" | "text">;

/** Of shares that are used up, and nothing else: `Retry-After` is a second at least, for clients that are not alone. */
const hasNoRoom = ({ status, text }: Told): boolean =>
  (status === 429 || status === 503) && /"Too (many|much) [^"]*Nothing was done; try again in a moment/.test(text);

export async function untilRoom<Answered extends Told>(ask: () => Promise<Answered>): Promise<Answered> {
  for (let waitedMs = 0; ; waitedMs += AGAIN_AFTER_MS) {
    const answer = await ask();
    if (!hasNoRoom(answer) || waitedMs >= PATIENCE_MS) return answer;
    await sleep(AGAIN_AFTER_MS);
  }
}

type Callers = ReturnType<typeof callers>;

/** The same calls, each until there is room for it. */
export const patient = ({ url, call, post, get, operator }: Callers): Callers => ({
  url,
  call: (...asked) => untilRoom(() => call(...asked)),
  post: (...asked) => untilRoom(() => post(...asked)),
  get: (...asked) => untilRoom(() => get(...asked)),
  operator: (...asked) => untilRoom(() => operator(...asked)),
});
