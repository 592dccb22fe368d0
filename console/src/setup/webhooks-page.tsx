// A merchant's webhook endpoints: which there are, a new one with its secret shown once, what each was told, and telling it again.

import { Button, Group, Stack, Switch, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { fieldsOf } from "../api/ask.ts";
import { may, useSignedIn } from "../api/session.ts";
import { useChange, useDeliveries, useSetup, type Webhook } from "../api/setup.ts";
import { PageLink, Panel, Status } from "../parts/parts.tsx";
import { Empty, Fault, Loading } from "../parts/states.tsx";
import table from "../transactions/transactions.module.css";
import { momentOf } from "../words/dates.ts";
import { answerOf, DELIVERY_STATES, SendAgain, toldOf } from "./delivery.tsx";
import { SecretDialog, SetupPage, SureButton } from "./setup-page.tsx";

export function WebhooksPage() {
  return (
    <SetupPage title="Webhooks" about="Where the gateway notifies the merchant's programs.">
      {(merchantId) => <Webhooks merchantId={merchantId} />}
    </SetupPage>
  );
}

function Webhooks({ merchantId }: { readonly merchantId: string }) {
  const who = useSignedIn();
  const changes = may(who, "set_up") || may(who, "operate");
  const webhooks = useSetup("webhooks", merchantId);
  // What was read once stays: a secret that is shown this once would go with the page.
  if (webhooks.data === undefined)
    return webhooks.isError ? <Fault fault={webhooks.error} again={() => void webhooks.refetch()} /> : <Loading />;
  return (
    <>
      {changes && <NewWebhook merchantId={merchantId} />}
      {webhooks.data.length === 0 && (
        <Panel flush>
          <Empty title="No endpoints yet">An endpoint receives what happens from the moment it is created.</Empty>
        </Panel>
      )}
      {webhooks.data.map((webhook) => (
        <Endpoint key={webhook.id} webhook={webhook} changes={changes} />
      ))}
    </>
  );
}

function NewWebhook({ merchantId }: { readonly merchantId: string }) {
  const [url, setUrl] = useState("");
  const creating = useChange<{ readonly webhook: { readonly secret: string } }>(() => ({
    path: `merchants/${merchantId}/webhooks`,
    method: "POST",
    json: { url: url.trim() },
  }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creating.mutate(undefined, { onSuccess: () => setUrl("") });
  };
  return (
    <Panel title="A new endpoint">
      <form onSubmit={submit} noValidate>
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Address"
            placeholder="https://shop.example.com/faregate"
            style={{ flex: "1 1 280px" }}
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
            error={fieldsOf(creating.error).url}
            required
            withAsterisk={false}
          />
          <Button type="submit" loading={creating.isPending}>
            Create the endpoint
          </Button>
        </Group>
        {creating.isError && <Fault fault={creating.error} shown={["url"]} />}
      </form>
      {creating.data && (
        <SecretDialog
          what="Used to verify the signatures of webhooks."
          secret={creating.data.webhook.secret}
          close={creating.reset}
        />
      )}
    </Panel>
  );
}

function Endpoint({ webhook, changes }: { readonly webhook: Webhook; readonly changes: boolean }) {
  const { id, url, enabled, disabled_reason } = webhook;
  const switching = useChange<unknown>(() => ({
    path: `webhooks/${id}`,
    method: "PATCH",
    json: { enabled: !enabled },
  }));
  const pinging = useChange<unknown>(() => ({ path: `webhooks/${id}/ping`, method: "POST", json: {} }));
  const deleting = useChange<null>(() => ({ path: `webhooks/${id}`, method: "DELETE" }));
  return (
    <Panel
      title={url}
      flush
      aside={
        changes && (
          <Group gap="sm" wrap="nowrap">
            <Switch
              size="sm"
              aria-label={`${url} is enabled`}
              checked={enabled}
              disabled={switching.isPending}
              onChange={() => switching.mutate()}
            />
            <Button size="compact-sm" variant="default" loading={pinging.isPending} onClick={() => pinging.mutate()}>
              Send a test
            </Button>
            <SureButton does="Delete" means="Everything still to be sent to it is deleted too." work={deleting} />
          </Group>
        )
      }
    >
      {disabled_reason !== null && (
        <Stack px={20} pt={8}>
          <Status label={{ word: disabled_reason, tone: "bad" }} />
        </Stack>
      )}
      {[switching, pinging].map(
        ({ error }, at) => error !== null && <Fault key={at === 0 ? "switch" : "test"} fault={error} />,
      )}
      <Deliveries webhookId={id} changes={changes} />
    </Panel>
  );
}

function Deliveries({ webhookId, changes }: { readonly webhookId: string; readonly changes: boolean }) {
  const { data: deliveries, error, refetch } = useDeliveries(webhookId);
  if (deliveries === undefined)
    return error === null ? <Loading /> : <Fault fault={error} again={() => void refetch()} />;
  if (deliveries.length === 0) return <Empty title="Nothing sent yet" />;
  return (
    <table className={table.table} aria-label="Deliveries, newest first">
      <thead>
        <tr>
          <th>Event</th>
          <th className="wide">Happened (UTC)</th>
          <th>State</th>
          <th className="wide">Last answer</th>
          {changes && <th aria-label="Actions" />}
        </tr>
      </thead>
      <tbody>
        {deliveries.map((delivery) => (
          <tr key={delivery.id}>
            <td className="cut">
              {delivery.transaction_id === null ? (
                toldOf(delivery)
              ) : (
                <PageLink href={`/transactions/${delivery.transaction_id}`}>{toldOf(delivery)}</PageLink>
              )}
              <div className={`narrow figures ${table.quiet}`}>{momentOf(delivery.timestamp)}</div>
            </td>
            <td className="wide figures">{momentOf(delivery.timestamp)}</td>
            <td>
              <Status label={DELIVERY_STATES[delivery.status]} />
            </td>
            <td className="wide code cut">{answerOf(delivery)}</td>
            {changes && (
              <td className={table.number}>
                {delivery.status !== "waiting" && <SendAgain webhookId={webhookId} delivery={delivery} />}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
