// Telling an endpoint again what it was told before.

import { Button } from "@mantine/core";
import { type Delivery, useChange } from "../api/setup.ts";

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
    <Button size="compact-sm" variant="default" loading={replaying.isPending} onClick={() => replaying.mutate()}>
      Send again
    </Button>
  );
}
