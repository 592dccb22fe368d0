// The cards that the merchant has on file, newest first.

import { useLocation, useSearch } from "wouter";
import type { Card } from "../../../packages/client/src/openapi.ts";
import { useCards } from "../api/cards.ts";
import { useNow } from "../api/clock.ts";
import { useProcessors } from "../api/queries.ts";
import { LinkedRow, RowLink } from "../parts/linked-row.tsx";
import { Page } from "../parts/page.tsx";
import { Pages } from "../parts/pages.tsx";
import { Panel, Status } from "../parts/parts.tsx";
import { Empty, Fault, Loading, PastEnd } from "../parts/states.tsx";
import { pageIn } from "../transactions/filters.ts";
import table from "../transactions/transactions.module.css";
import { brandOf, lastFour } from "../words/answers.ts";
import { dateOf } from "../words/dates.ts";
import { holderOf, keeperOf, statusOfCard } from "./card-words.ts";

export function CardsPage() {
  const page = pageIn(useSearch());
  const [, go] = useLocation();
  const list = useCards(page);
  const total = list.data?.meta.total;
  return (
    <Page
      title="Cards on file"
      about={
        total === undefined
          ? " "
          : `${total.toLocaleString("en")} ${total === 1 ? "card" : "cards"} that can be charged without sending the number.`
      }
    >
      {list.isError && <Fault fault={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data && (
        <Panel flush>
          {list.data.cards.length > 0 ? (
            <CardTable cards={list.data.cards} />
          ) : list.data.meta.total > 0 ? (
            <PastEnd />
          ) : (
            <Empty title="No cards on file">
              A card is stored with POST /api/cards, or with a charge that has store_card.
            </Empty>
          )}
        </Panel>
      )}
      <Pages page={page} last={list.data?.meta.last_page} show={(next) => go(`/cards?page=${next}`)} />
    </Page>
  );
}

function CardTable({ cards }: { readonly cards: readonly Card[] }) {
  const now = useNow();
  const { data: processors = [] } = useProcessors();
  const nameOf = (id: string) => processors.find((one) => one.id === id)?.name;
  return (
    <table className={table.table} aria-label="Cards on file, newest first">
      <thead>
        <tr>
          <th>Card</th>
          <th>Expires</th>
          <th className="wide">State</th>
          <th className="wide">Customer</th>
          <th className="wide">Kept by</th>
          <th className="wide">Stored (UTC)</th>
        </tr>
      </thead>
      <tbody>
        {cards.map((card) => (
          <LinkedRow key={card.id} href={`/cards/${card.id}`}>
            <td className="cut">
              <RowLink>
                {brandOf(card.card_brand)} {lastFour(card.card_number)}
              </RowLink>
              <div className={`narrow ${table.quiet}`}>{holderOf(card) ?? keeperOf(card, nameOf)}</div>
            </td>
            <td className="figures">
              {card.card_expiry_month}/{card.card_expiry_year}
            </td>
            <td className="wide">
              <Status label={statusOfCard(card, now)} />
            </td>
            <td className="wide cut">{holderOf(card) ?? <span className={table.quiet}>–</span>}</td>
            <td className="wide cut">{keeperOf(card, nameOf)}</td>
            <td className={`wide figures ${table.quiet} ${table.whole}`}>{dateOf(card.created_at)}</td>
          </LinkedRow>
        ))}
      </tbody>
    </table>
  );
}
