// A delivery: what it told, what became of it and what the endpoint responded, in words; and the button that sends it again.

import { Button } from "@mantine/core";
import { type Delivery, useChange } from "../api/setup.ts";
import { FaultInRow } from "../parts/states.tsx";
import type { StatusLabel } from "../words/status.ts";

export const DELIVERY_STATES: Readonly<Record<Delivery["status"], StatusLabel>> = {
  waiting: { word: "Waiting", tone: "wait" },
  delivered: { word: "Delivered", tone: "good" },
  failed: { word: "Failed", tone: "bad" },
};

/** `transaction.refund.succeeded` → `refund succeeded`; `webhook.ping` → `test` */
export const toldOf = ({ type }: Delivery): string =>
  type === "webhook.ping" ? "test" : type.replace("transaction.", "").replaceAll(/[._]/g, " ");

export const answerOf = ({ last_answer, attempts }: Delivery): string =>
  attempts > 1 ? `${last_answer ?? "–"} (${attempts} attempts)` : (last_answer ?? "–");

interface SendAgainProps {
  readonly webhookId: string;
  readonly delivery: Delivery;
}

export function SendAgain({ webhookId, delivery }: SendAgainProps) {
  const replaying = useChange<unknown>(() => ({
    path: `webhooks/${webhookId}/replay`,
    method: "POST",
    json: { delivery_id: delivery.id },
  }));
  return (
    <>
      <Button size="compact-sm" variant="default" loading={replaying.isPending} onClick={() => replaying.mutate()}>
        Send again
      </Button>
      {replaying.isError && <FaultInRow fault={replaying.error} />}
    </>
  );
}
