// One plan: its payments, what became of each, and who may move or cancel what is not charged.

import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type FormEvent, useState } from "react";
import type { Plan, PlanPayment } from "../../../packages/client/src/openapi.ts";
import { fieldsOf } from "../api/ask.ts";
import { usePlan, usePlanChange } from "../api/plans.ts";
import { useProcessors } from "../api/queries.ts";
import { may, useSignedIn } from "../api/session.ts";
import { Page } from "../parts/page.tsx";
import { Amount, Copyable, Facts, PageLink, Panel, Status } from "../parts/parts.tsx";
import { Fault, Loading } from "../parts/states.tsx";
import { SureButton } from "../setup/setup-page.tsx";
import classes from "../transaction/transaction.module.css";
import table from "../transactions/transactions.module.css";
import { dayOf, exactly, momentOf } from "../words/dates.ts";
import { mayMove, PAYMENT_STATUSES, PLAN_STATUSES, reasonOf } from "../words/plans.ts";

const BACK = { href: "/plans", to: "Plans" };

export function PlanPage({ id }: { readonly id: string }) {
  const { data: plan, error, refetch } = usePlan(id);
  if (plan !== undefined) return <Shown plan={plan} />;
  return (
    <Page title="Plan" back={BACK}>
      {error === null ? <Loading /> : <Fault fault={error} again={() => void refetch()} />}
    </Page>
  );
}

function Shown({ plan }: { readonly plan: Plan }) {
  const { total, currency, status, merchant_transaction_id: order } = plan;
  const changes = may(useSignedIn(), "charge");
  return (
    <Page
      title={`Plan of order ${order}`}
      back={BACK}
      heading={
        <Group gap="sm" component="span">
          <Amount amount={total} currency={currency} />
          <Status label={PLAN_STATUSES[status]} />
        </Group>
      }
      about={`Made ${exactly(plan.created_at)}`}
      actions={changes && status === "active" && <CancelButton plan={plan} />}
    >
      <Panel title="Payments" flush>
        <Payments plan={plan} changes={changes} />
      </Panel>
      <div className={classes.columns}>
        <Particulars plan={plan} />
      </div>
      {may(useSignedIn(), "operator_read") && (
        <Text size="sm">
          <PageLink href={`/audit?subject=${plan.id}`}>Who made, moved or canceled it</PageLink>
        </Text>
      )}
    </Page>
  );
}

function CancelButton({ plan }: { readonly plan: Plan }) {
  const canceling = usePlanChange(plan.id, () => "cancel");
  return (
    <SureButton
      does="Cancel the plan"
      means={`Nothing more of it is charged. What was charged, ${plan.charged} ${plan.currency}, stays charged: refund it by its transactions.`}
      work={canceling}
    />
  );
}

const Payments = ({ plan, changes }: { readonly plan: Plan; readonly changes: boolean }) => (
  <table className={table.table} aria-label="Payments">
    <thead>
      <tr>
        <th className={table.number}>Amount</th>
        <th>Due</th>
        <th>Status</th>
        <th className="wide">What happened</th>
        {changes && <th />}
      </tr>
    </thead>
    <tbody>
      {plan.payments.map((payment) => (
        <tr key={payment.number}>
          <td className={table.number}>
            <Amount amount={payment.amount} currency={plan.currency} />
          </td>
          <td className="figures">{momentOf(payment.due_at)} UTC</td>
          <td>
            <Status label={PAYMENT_STATUSES[payment.status]} />
          </td>
          <td className="wide">
            <WhatHappened payment={payment} />
          </td>
          {changes && (
            <td className={table.number}>{mayMove(plan, payment) && <MoveButton plan={plan} payment={payment} />}</td>
          )}
        </tr>
      ))}
    </tbody>
  </table>
);

function WhatHappened({ payment }: { readonly payment: PlanPayment }) {
  const { transaction_id, next_charge_at, status } = payment;
  const reason = reasonOf(payment);
  return (
    <Stack gap={2}>
      {reason !== undefined && <Text size="sm">{reason}</Text>}
      {status === "retrying" && next_charge_at !== null && (
        <Text size="sm">Next try: {momentOf(next_charge_at)} UTC</Text>
      )}
      {transaction_id !== null && status !== "scheduled" && (
        <PageLink href={`/transactions/${transaction_id}`}>Its transaction</PageLink>
      )}
    </Stack>
  );
}

function MoveButton({ plan, payment }: { readonly plan: Plan; readonly payment: PlanPayment }) {
  const [moving, dialog] = useDisclosure(false);
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={dialog.open}>
        Move
      </Button>
      {moving && <MoveDialog plan={plan} payment={payment} close={dialog.close} />}
    </>
  );
}

interface MoveProps {
  readonly plan: Plan;
  readonly payment: PlanPayment;
  readonly close: () => void;
}

/** A day is enough for people: the time of day stays. */
function MoveDialog({ plan, payment: { number, due_at, amount }, close }: MoveProps) {
  const [day, setDay] = useState(dayOf(new Date(due_at)));
  const moving = usePlanChange(plan.id, () => ({ payments: [{ number, due_at: day + due_at.slice(10) }] }));
  const [wrong] = Object.values(fieldsOf(moving.error));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    moving.mutate(undefined, { onSuccess: close });
  };
  return (
    <Modal opened onClose={close} centered title={<b>Move the payment</b>} closeButtonProps={{ "aria-label": "Close" }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <TextInput
            label={`When ${amount} ${plan.currency} is charged (UTC)`}
            type="date"
            value={day}
            onChange={({ currentTarget: { value } }) => setDay(value)}
            error={wrong}
            data-autofocus
          />
          {moving.isError && wrong === undefined && <Fault fault={moving.error} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Not now
            </Button>
            <Button type="submit" loading={moving.isPending}>
              Move it
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function Particulars({ plan }: { readonly plan: Plan }) {
  const { data: processors = [] } = useProcessors();
  const { id, charged, currency, card_id, processor_id } = plan;
  const name = processors.find((one) => one.id === processor_id)?.name ?? processor_id;
  return (
    <Panel title="Details">
      <Facts
        facts={[
          { name: "Charged", value: <Amount amount={charged} currency={currency} /> },
          {
            name: "Order",
            value: (
              <PageLink
                href={`/transactions?merchant_transaction_id=${encodeURIComponent(plan.merchant_transaction_id)}`}
              >
                {plan.merchant_transaction_id}
              </PageLink>
            ),
          },
          { name: "Passengers", value: plan.passenger_transport?.length },
          { name: "Card on file", value: <Copyable value={card_id} what="the card's id" /> },
          { name: "Processor", value: name ?? "Drawn for each charge" },
          { name: "Last change", value: exactly(plan.updated_at) },
          { name: "Canceled", value: plan.canceled_at === null ? undefined : exactly(plan.canceled_at) },
          { name: "Id", value: <Copyable value={id} what="the plan's id" /> },
        ]}
      />
    </Panel>
  );
}
