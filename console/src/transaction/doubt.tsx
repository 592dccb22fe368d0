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
      styles={{ title: { color: "var(--wait)" }, icon: { color: "var(--wait)" }, message: { color: "inherit" } }}
    >
      {pending
        ? "It was sent, and no answer has come. The gateway asks again under the same reference until it knows; nothing is done twice. This page changes by itself."
        : "The cardholder's money is given back until the processor confirms it. If you want to charge the card, send a new sale."}
    </Alert>
  );
}
