// What nobody knows yet about a transaction, said before anything else.

import { Alert } from "@mantine/core";
import type { Transaction } from "../../../packages/client/src/openapi.ts";
import { Icon } from "../parts/icons.tsx";

export function Doubt({ transaction: { events } }: { readonly transaction: Transaction }) {
  const pending = events.some(({ status }) => status === "pending");
  const unanswered = events.some(({ status }) => status === "error");
  if (!pending && !unanswered) return null;
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<Icon name="clock" />}
      title={pending ? "The outcome of an operation is not known yet" : "The processor did not answer in time"}
      styles={{
        title: { color: "var(--wait)" },
        icon: { color: "var(--wait)" },
        message: { color: "var(--mantine-color-text)" },
      }}
    >
      {pending
        ? "It was sent, but no answer has come yet. The gateway keeps asking under the same reference; nothing is done twice. This page updates by itself."
        : "The charge is being reversed until the processor confirms it. To charge the card, send a new sale."}
    </Alert>
  );
}
