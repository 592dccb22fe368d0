// One card on file: what is known of it, the payments that were made with it, and deleting it. Payments stay when the card is gone.

import { Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useLocation, useSearch } from "wouter";
import type { Card } from "../../../packages/client/src/openapi.ts";
import { useCard, useDeleteCard } from "../api/cards.ts";
import { useNow } from "../api/clock.ts";
import { useProcessors, useTransactions } from "../api/queries.ts";
import { may, useSignedIn } from "../api/session.ts";
import { Page } from "../parts/page.tsx";
import { Pages } from "../parts/pages.tsx";
import { Copyable, Facts, PageLink, Panel, Status } from "../parts/parts.tsx";
import { Empty, Fault, Loading, PastEnd } from "../parts/states.tsx";
import { SureButton } from "../setup/setup-page.tsx";
import { addressLines } from "../transaction/details.tsx";
import classes from "../transaction/transaction.module.css";
import { pageIn } from "../transactions/filters.ts";
import { TransactionTable } from "../transactions/transaction-table.tsx";
import { brandOf, lastFour } from "../words/answers.ts";
import { exactly } from "../words/dates.ts";
import { holderOf, keeperOf, statusOfCard } from "./card-words.ts";

const BACK = { href: "/cards", to: "Cards on file" };

export function CardPage({ id }: { readonly id: string }) {
  const { data: card, error, refetch } = useCard(id);
  if (card === undefined)
    return (
      <Page title="Card" back={BACK}>
        {error === null ? <Loading /> : <Fault fault={error} again={() => void refetch()} />}
      </Page>
    );
  return card === null ? <Gone id={id} /> : <Shown card={card} />;
}

/** A payment names its card for ever. */
const Gone = ({ id }: { readonly id: string }) => (
  <Page title="Card" back={BACK} about="It is not on file any more, and cannot be charged.">
    <PaymentsOf id={id} />
  </Page>
);

function Shown({ card }: { readonly card: Card }) {
  const who = useSignedIn();
  const now = useNow();
  const title = `${brandOf(card.card_brand)} ${lastFour(card.card_number)}`;
  return (
    <Page
      title={title}
      back={BACK}
      heading={
        <Group gap="sm" component="span">
          {title} <Status label={statusOfCard(card, now)} />
        </Group>
      }
      about={`${holderOf(card) ?? "No name"} · stored ${exactly(card.created_at)}`}
      actions={may(who, "cards") && <DeleteButton card={card} />}
    >
      <div className={classes.columns}>
        <PaymentsOf id={card.id} />
        <Stack gap="lg">
          <Particulars card={card} />
          <Customer card={card} />
        </Stack>
      </div>
    </Page>
  );
}

function DeleteButton({ card }: { readonly card: Card }) {
  const [, go] = useLocation();
  const deleting = useDeleteCard(card.id);
  const andLeave = { ...deleting, mutateAsync: async () => deleting.mutateAsync().then(() => go("/cards")) };
  return (
    <SureButton
      does="Delete"
      means={`${brandOf(card.card_brand)} ${lastFour(card.card_number)} cannot be charged any more, and nobody can bring it back. Payments that were made with it can still be captured, voided and refunded.${
        card.processor_id === null ? "" : " The processor goes on keeping the card: remove it there, too."
      }`}
      work={andLeave}
    />
  );
}

function Particulars({ card }: { readonly card: Card }) {
  const { data: processors = [] } = useProcessors();
  const nameOf = (id: string) => processors.find((one) => one.id === id)?.name;
  return (
    <Panel title="Card">
      <Facts
        facts={[
          { name: "Number", value: <span className="code">{card.card_number}</span> },
          { name: "Expires", value: `${card.card_expiry_month}/${card.card_expiry_year}` },
          { name: "Kept by", value: keptBy(card, nameOf) },
          {
            name: "Fingerprint",
            value: card.fingerprint && <Copyable value={card.fingerprint} what="the card's fingerprint" />,
          },
          { name: "Id", value: <Copyable value={card.id} what="the card's id" /> },
        ]}
      />
    </Panel>
  );
}

const keptBy = (card: Card, nameOf: (id: string) => string | undefined): ReactNode =>
  card.processor_id === null ? "The gateway, sealed" : `${keeperOf(card, nameOf)}, which alone can charge it`;

function Customer({ card }: { readonly card: Card }) {
  const { email } = card;
  const facts = [
    { name: "Name", value: [card.first_name, card.last_name].filter((part) => part !== undefined).join(" ") },
    {
      name: "E-mail",
      value: email && <PageLink href={`/transactions?email=${encodeURIComponent(email)}`}>{email}</PageLink>,
    },
    { name: "Phone", value: card.mobile_phone },
    { name: "Billing", value: addressLines(card) },
  ];
  if (facts.every(({ value }) => value === undefined || value === "")) return null;
  return (
    <Panel title="Customer">
      <Facts facts={facts} />
    </Panel>
  );
}

function PaymentsOf({ id }: { readonly id: string }) {
  const page = pageIn(useSearch());
  const [, go] = useLocation();
  const list = useTransactions({ card_id: id }, page);
  const nothing = list.data?.transactions.length === 0;
  return (
    <Stack gap="lg">
      {list.isError && <Fault fault={list.error} again={() => void list.refetch()} />}
      <Panel
        title="Payments"
        flush
        aside={<PageLink href={`/transactions?card_id=${id}`}>All in the list of transactions</PageLink>}
      >
        {list.isPending && <Loading />}
        {list.data && !nothing && (
          <TransactionTable
            transactions={list.data.transactions}
            faded={list.isPlaceholderData}
            label="Payments with this card, newest first"
            ofOneCard
          />
        )}
        {nothing && (list.data.meta.total > 0 ? <PastEnd /> : <Empty title="No payment yet" small />)}
      </Panel>
      <Pages page={page} last={list.data?.meta.last_page} show={(next) => go(`/cards/${id}?page=${next}`)} />
    </Stack>
  );
}
