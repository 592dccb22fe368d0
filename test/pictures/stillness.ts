// When a page has come to rest: nothing is being asked of the gateway, nothing says that it loads, for some looks in a row.

import { setTimeout as sleep } from "node:timers/promises";
import type { Page, Request } from "playwright-core";

const LOOKS = 4;
const BETWEEN_LOOKS_MS = 75;

/** @param patienceMs also where the machine does much else */
export function stillnessOf(page: Page, patienceMs: number): () => Promise<void> {
  const open = new Set<Request>();
  page.on("request", (request) => open.add(request));
  page.on("requestfinished", (request) => open.delete(request));
  page.on("requestfailed", (request) => open.delete(request));
  const loading = () => page.getByRole("status").filter({ hasText: "Loading" }).count();
  return async () => {
    const end = performance.now() + patienceMs;
    for (let still = 0; still < LOOKS; await sleep(BETWEEN_LOOKS_MS)) {
      if (performance.now() > end) throw new Error(`${page.url()} goes on loading`);
      still = open.size === 0 && (await loading()) === 0 ? still + 1 : 0;
    }
  };
}
