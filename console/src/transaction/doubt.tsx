// What nobody knows yet about a transaction, said before anything else.

import { Alert } from "@mantine/core";
import type { Transaction } from "../../../packages/client/src/openapi.ts";
import { Icon } from "../parts/icons.tsx";
import { exactly } from "../words/dates.ts";

export function Doubt({ transaction }: { readonly transaction: Transaction }) {
  const { events, checkout_expires_at: expiresAt } = transaction;
  const pending = events.some(({ status }) => status === "pending");
  const unanswered = events.some(({ status }) => status === "error");
  if (!pending && !unanswered) return null;
  const told = expiresAt ? challengedUntil(expiresAt) : pending ? PENDING : UNANSWERED;
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<Icon name="clock" />}
      title={told.title}
      styles={{
        title: { color: "var(--wait)" },
        icon: { color: "var(--wait)" },
        message: { color: "var(--mantine-color-text)" },
      }}
    >
      {told.text}
    </Alert>
  );
}

const challengedUntil = (expiresAt: string) => ({
  title: "The charge waits for the payer",
  text: `The payer has to authenticate at the checkout address, until ${exactly(expiresAt)}. After that the charge is given up and reversed. This page updates by itself.`,
});

const PENDING = {
  title: "The outcome of an operation is not known yet",
  text: "It was sent, but no answer has come yet. The gateway keeps asking under the same reference; nothing is done twice. This page updates by itself.",
};

const UNANSWERED = {
  title: "The processor did not answer in time",
  text: "The charge is being reversed until the processor confirms it. To charge the card, send a new sale.",
};
