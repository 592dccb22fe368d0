// The disputes of one transaction, on its page; operators can enter another.

import { Button, Group, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { Transaction } from "../../../packages/client/src/openapi.ts";
import { useNow } from "../api/clock.ts";
import { may, useSignedIn } from "../api/session.ts";
import { Amount, PageLink, Panel, Status } from "../parts/parts.tsx";
import { dueOf, STAGES, statusOfDispute } from "../words/disputes.ts";
import { DisputeDialog } from "./dispute-dialog.tsx";
import { DueDate } from "./due-date.tsx";

export function DisputesOf({ transaction: { id, disputes = [] } }: { readonly transaction: Transaction }) {
  const who = useSignedIn();
  const now = useNow();
  const [entering, dialog] = useDisclosure(false);
  const enters = may(who, "operate") && who?.merchantId !== undefined;
  if (disputes.length === 0 && !enters) return null;
  return (
    <Panel title="Disputes">
      <Stack gap="md" align="stretch">
        {disputes.map((dispute) => {
          const due = dueOf(dispute, now);
          return (
            <Stack key={dispute.id} gap={4}>
              <Group gap="xs">
                <PageLink href={`/disputes/${dispute.id}`}>{STAGES[dispute.stage]}</PageLink>
                <Amount amount={dispute.amount} currency={dispute.currency} />
                <Status label={statusOfDispute(dispute)} />
              </Group>
              <small>
                {dispute.reason ?? dispute.reason_code}
                {due !== undefined && (
                  <>
                    {" "}
                    · respond by <DueDate due={due} />
                  </>
                )}
              </small>
            </Stack>
          );
        })}
        {enters && (
          <Group>
            <Button size="compact-sm" variant="default" onClick={dialog.open}>
              Enter a dispute
            </Button>
          </Group>
        )}
      </Stack>
      {entering && <DisputeDialog transactionId={id} close={dialog.close} />}
    </Panel>
  );
}
