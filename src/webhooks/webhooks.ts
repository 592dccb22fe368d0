// Webhooks at work in a process: delivering, and removing what is old.

import { every } from "../gateway/every.ts";
import type { Mode } from "../settings.ts";
import { type Delivering, startDelivering } from "./deliver.ts";
import { removeOldDeliveries } from "./old-deliveries.ts";
import { openSender } from "./send.ts";

const REMOVE_EVERY_MS = 60_000;

export type Webhooks = Omit<Delivering, "sender"> & { readonly mode: Mode };

export function startWebhooks(parts: Webhooks): { stop(): Promise<void> } {
  const { sql, clock, log, mode } = parts;
  const deliverer = startDelivering({ ...parts, sender: openSender(mode) });
  const removing = every(REMOVE_EVERY_MS, log, async () =>
    (await removeOldDeliveries(sql, clock.now())) ? "at once" : "pause",
  );
  return {
    stop: async () => {
      await Promise.all([deliverer.stop(), removing.stop()]);
    },
  };
}
