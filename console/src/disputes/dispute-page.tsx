// One dispute: what the bank says, what is to be done, until when and where, and what an operator enters by hand.

import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { Dispute } from "../../../packages/client/src/openapi.ts";
import { useNow } from "../api/clock.ts";
import { useDispute } from "../api/disputes.ts";
import { useProcessors } from "../api/queries.ts";
import { may, useSignedIn } from "../api/session.ts";
import { Page } from "../parts/page.tsx";
import { Amount, Copyable, Facts, PageLink, Panel, Status } from "../parts/parts.tsx";
import { Fault, Loading } from "../parts/states.tsx";
import classes from "../transaction/transaction.module.css";
import { exactly } from "../words/dates.ts";
import { dueOf, STAGES, stageMeans, statusOfDispute, whatToDo } from "../words/disputes.ts";
import { DisputeDialog } from "./dispute-dialog.tsx";
import { DueDate } from "./due-date.tsx";

const BACK = { href: "/disputes", to: "Disputes" };

export function DisputePage({ id }: { readonly id: string }) {
  const { data: dispute, error, refetch } = useDispute(id);
  if (dispute !== undefined) return <Shown dispute={dispute} />;
  return (
    <Page title="Dispute" back={BACK}>
      {error === null ? <Loading /> : <Fault fault={error} again={() => void refetch()} />}
    </Page>
  );
}

function Shown({ dispute }: { readonly dispute: Dispute }) {
  const { id, amount, currency, merchant_transaction_id, opened_at } = dispute;
  const operates = may(useSignedIn(), "operate");
  return (
    <Page
      title={`Dispute of order ${merchant_transaction_id}`}
      back={BACK}
      heading={
        <Group gap="sm" component="span">
          <Amount amount={amount} currency={currency} />
          <Status label={statusOfDispute(dispute)} />
        </Group>
      }
      about={`${STAGES[dispute.stage]} of order ${merchant_transaction_id} · ${exactly(opened_at)}`}
      actions={operates && <ChangeButton dispute={dispute} />}
    >
      <div className={classes.columns}>
        <WhatNow dispute={dispute} />
        <Particulars dispute={dispute} />
      </div>
      {may(useSignedIn(), "operator_read") && (
        <Text size="sm">
          <PageLink href={`/audit?subject=${id}`}>What was entered by hand</PageLink>
        </Text>
      )}
    </Page>
  );
}

function ChangeButton({ dispute }: { readonly dispute: Dispute }) {
  const [changing, dialog] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        Change by hand
      </Button>
      {changing && <DisputeDialog dispute={dispute} close={dialog.close} />}
    </>
  );
}

function WhatNow({ dispute }: { readonly dispute: Dispute }) {
  const now = useNow();
  const { data: processors = [] } = useProcessors();
  const processor = processors.find(({ id }) => id === dispute.processor_id);
  const due = dueOf(dispute, now);
  return (
    <Stack gap="lg">
      <Panel title="What can be done">
        <Stack gap={10}>
          <Text size="sm">{whatToDo(dispute, processor?.kind)}</Text>
          {due !== undefined && (
            <Text size="sm">
              Respond by <DueDate due={due} />
            </Text>
          )}
          {dispute.status === "needs_response" && (
            <Text size="sm" c="dimmed">
              {dispute.stage === "inquiry"
                ? "A refund is often the right answer to an inquiry."
                : "To give in, accept the dispute at the processor. A refund on top of it would pay the customer twice."}
            </Text>
          )}
        </Stack>
      </Panel>
      <Panel title="What the bank says">
        <Facts
          facts={[
            { name: "Reason", value: dispute.reason ?? "Not told" },
            { name: "Code", value: dispute.reason_code && <span className="code">{dispute.reason_code}</span> },
            { name: "Stage", value: `${STAGES[dispute.stage]}. ${stageMeans(dispute)}` },
          ]}
        />
      </Panel>
    </Stack>
  );
}

function Particulars({ dispute }: { readonly dispute: Dispute }) {
  const { data: processors = [] } = useProcessors();
  const { id, amount, amount_withdrawn, currency, fee, fee_currency, processor_id, processor_dispute_id } = dispute;
  const name = processors.find((one) => one.id === processor_id)?.name ?? processor_id;
  return (
    <Panel title="Details">
      <Facts
        facts={[
          { name: "Disputed", value: <Amount amount={amount} currency={currency} /> },
          { name: "Withdrawn now", value: <Amount amount={amount_withdrawn} currency={currency} /> },
          {
            name: "The processor's fee",
            value:
              fee === null || fee_currency === null ? (
                "None known, or in several currencies"
              ) : (
                <Amount amount={fee} currency={fee_currency} />
              ),
          },
          {
            name: "Order",
            value: (
              <PageLink href={`/transactions/${dispute.transaction_id}`}>{dispute.merchant_transaction_id}</PageLink>
            ),
          },
          { name: "Processor", value: name },
          {
            name: "Its name there",
            value: processor_dispute_id && <Copyable value={processor_dispute_id} what="the processor's name for it" />,
          },
          { name: "Opened", value: exactly(dispute.opened_at) },
          { name: "Known since", value: exactly(dispute.created_at) },
          { name: "Last change", value: exactly(dispute.updated_at) },
          { name: "Id", value: <Copyable value={id} what="the dispute's id" /> },
        ]}
      />
    </Panel>
  );
}
