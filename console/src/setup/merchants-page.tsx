// The merchants of this gateway, a new one, and one with its settings. For operators.

import { Button, Group, Stack, Switch } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { fieldsOf } from "../api/ask.ts";
import { type Merchant, useMerchants } from "../api/merchants.ts";
import { lookAtMerchant, may, useSignedIn } from "../api/session.ts";
import { useChange } from "../api/setup.ts";
import { LinkedRow, RowLink } from "../parts/linked-row.tsx";
import { Copyable, Facts, PageLink, Panel } from "../parts/parts.tsx";
import { Empty, Fault, Loading } from "../parts/states.tsx";
import { TextField } from "../parts/text-field.tsx";
import table from "../transactions/transactions.module.css";
import { dateOf, exactly } from "../words/dates.ts";
import { DeclaredNotice } from "./declared-notice.tsx";
import { SetupPage } from "./setup-page.tsx";

export function MerchantsPage() {
  return (
    <SetupPage title="Merchants" about="The merchants whose payments go through this gateway." forOperators>
      {() => <Merchants />}
    </SetupPage>
  );
}

function Merchants() {
  const { data: merchants, error, refetch } = useMerchants({ enabled: true });
  const operates = may(useSignedIn(), "operate");
  if (merchants === undefined)
    return error === null ? <Loading /> : <Fault fault={error} again={() => void refetch()} />;
  return (
    <>
      <DeclaredNotice />
      <Panel flush>
        <table className={table.table} aria-label="Merchants">
          <thead>
            <tr>
              <th>Name</th>
              <th className="wide">Since</th>
              <th className="wide">Id</th>
            </tr>
          </thead>
          <tbody>
            {merchants.map(({ id, name, created_at }) => (
              <LinkedRow key={id} href={`/merchants/${id}`}>
                <td className="cut">
                  <RowLink>{name}</RowLink>
                  <div className={`narrow ${table.quiet}`}>since {dateOf(created_at)}</div>
                </td>
                <td className={`wide figures ${table.quiet}`}>{dateOf(created_at)}</td>
                <td className={`wide code cut ${table.quiet}`}>{id}</td>
              </LinkedRow>
            ))}
          </tbody>
        </table>
      </Panel>
      {operates && <NewMerchant />}
    </>
  );
}

function NewMerchant() {
  const [name, setName] = useState("");
  const [, go] = useLocation();
  const creating = useChange<{ readonly merchant: Merchant }>(() => ({
    path: "merchants",
    method: "POST",
    json: { name: name.trim() },
  }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    creating.mutate(undefined, { onSuccess: ({ merchant }) => go(`/merchants/${merchant.id}`) });
  };
  return (
    <Panel title="A new merchant">
      <form onSubmit={submit} noValidate>
        <Group align="flex-end" gap="sm">
          <TextField
            label="Name"
            style={{ flex: "1 1 240px" }}
            value={name}
            set={setName}
            error={fieldsOf(creating.error).name}
          />
          <Button type="submit" loading={creating.isPending}>
            Create the merchant
          </Button>
        </Group>
        {creating.isError && <Fault fault={creating.error} shown={["name"]} />}
      </form>
    </Panel>
  );
}

const BACK = { href: "/merchants", to: "Merchants" };

export function MerchantPage({ id }: { readonly id: string }) {
  const { data: merchants, error, refetch } = useMerchants({ enabled: may(useSignedIn(), "operator_read") });
  const merchant = merchants?.find((one) => one.id === id);
  return (
    <SetupPage
      title={merchant?.name ?? "Merchant"}
      about="What all its payments have in common."
      back={BACK}
      forOperators
    >
      {() =>
        merchants === undefined ? (
          error === null ? (
            <Loading />
          ) : (
            <Fault fault={error} again={() => void refetch()} />
          )
        ) : merchant === undefined ? (
          <Empty title="There is no such merchant" />
        ) : (
          <Shown key={JSON.stringify(merchant)} merchant={merchant} />
        )
      }
    </SetupPage>
  );
}

function Shown({ merchant }: { readonly merchant: Merchant }) {
  const who = useSignedIn();
  const { id, created_at } = merchant;
  return (
    <>
      <Panel title="Settings">
        <Settings merchant={merchant} changes={may(who, "operate")} />
      </Panel>
      <Panel title="Details">
        <Stack gap="md">
          <Facts
            facts={[
              { name: "Id", value: <Copyable value={id} what="the merchant's id" /> },
              { name: "Since", value: exactly(created_at) },
              { name: "Changes", value: <PageLink href={`/audit?subject=${id}`}>In the audit log</PageLink> },
            ]}
          />
          {who?.merchantId !== id && (
            <Group>
              <Button variant="default" onClick={() => lookAtMerchant(id)}>
                Look at this merchant
              </Button>
            </Group>
          )}
        </Stack>
      </Panel>
    </>
  );
}

function Settings({ merchant, changes }: { readonly merchant: Merchant; readonly changes: boolean }) {
  const [name, setName] = useState(merchant.name);
  const [strict, setStrict] = useState(merchant.refuse_card_like_identifiers);
  const [withAddress, setWithAddress] = useState(merchant.require_ip_address);
  const [forbidden, setForbidden] = useState(merchant.card_numbers === "forbidden");
  const [verifies, setVerifies] = useState(merchant.verify_cards);
  const json = {
    name: name.trim(),
    refuse_card_like_identifiers: strict,
    require_ip_address: withAddress,
    card_numbers: forbidden ? "forbidden" : "allowed",
    verify_cards: verifies,
  };
  const saving = useChange<unknown>(() => ({ path: `merchants/${merchant.id}`, method: "PATCH", json }));
  const same = Object.entries(json).every(([field, value]) => merchant[field as keyof typeof json] === value);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextField
          label="Name"
          maw={420}
          value={name}
          set={setName}
          error={fieldsOf(saving.error).name}
          readOnly={!changes}
        />
        <Switch
          label="A sale must name the customer's IP address"
          description="Some shop plugins do not send one."
          checked={withAddress}
          disabled={!changes}
          onChange={() => setWithAddress(!withAddress)}
        />
        <Switch
          label="Refuse identifiers that look like card numbers"
          description="Otherwise order and ticket numbers are refused only if they contain the card number of the same request."
          checked={strict}
          disabled={!changes}
          onChange={() => setStrict(!strict)}
        />
        <Switch
          label="Forbid card numbers"
          description="Requests with a card number or a CVV are refused. Only cards that Stripe or Adyen keep are charged."
          checked={forbidden}
          disabled={!changes}
          onChange={() => setForbidden(!forbidden)}
          error={fieldsOf(saving.error).card_numbers}
        />
        <Switch
          label="Verify cards before they are stored"
          description="The card's issuer is asked, without money. A card that it declines is not stored."
          checked={verifies}
          disabled={!changes}
          onChange={() => setVerifies(!verifies)}
        />
        {saving.isError && <Fault fault={saving.error} shown={["name", "card_numbers"]} />}
        {changes && (
          <Group>
            <Button type="submit" loading={saving.isPending} disabled={same}>
              Change
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}
