// Which page an address shows. Who is not signed in sees the sign-in at every address, and the page that was asked for after.

import { Container } from "@mantine/core";
import type { ReactNode } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { type Read, useRead } from "./api/read.ts";
import { useSignedIn, viewerOf } from "./api/session.ts";
import { type Door, openDoor } from "./api/sign-in.ts";
import { OverviewPage } from "./overview/overview-page.tsx";
import { Fallible } from "./parts/fallible.tsx";
import { loadable } from "./parts/loadable.tsx";
import { Fault, Loading } from "./parts/states.tsx";
import { ROUTES, type RoutePath } from "./routes.ts";
import { NoMerchant } from "./shell/no-merchant.tsx";
import { NotFoundPage } from "./shell/not-found-page.tsx";
import { NotShownPage } from "./shell/not-shown-page.tsx";
import { Shell } from "./shell/shell.tsx";
import { MustPage } from "./sign-in/must-page.tsx";
import { SignInPage } from "./sign-in/sign-in-page.tsx";
import { TransactionPage } from "./transaction/transaction-page.tsx";
import { TransactionsPage } from "./transactions/transactions-page.tsx";

const BenchPage = loadable(() => import("./bench/bench-page.tsx"), "BenchPage");
const CardsPage = loadable(() => import("./cards/cards-page.tsx"), "CardsPage");
const CardPage = loadable(() => import("./cards/card-page.tsx"), "CardPage");
const BatchesPage = loadable(() => import("./batches/batches-page.tsx"), "BatchesPage");
const BatchPage = loadable(() => import("./batches/batch-page.tsx"), "BatchPage");
const LedgerPage = loadable(() => import("./batches/ledger-page.tsx"), "LedgerPage");

const PlansPage = loadable(() => import("./plans/plans-page.tsx"), "PlansPage");
const PlanPage = loadable(() => import("./plans/plan-page.tsx"), "PlanPage");
const DisputesPage = loadable(() => import("./disputes/disputes-page.tsx"), "DisputesPage");
const DisputePage = loadable(() => import("./disputes/dispute-page.tsx"), "DisputePage");
const ReconciliationsPage = loadable(() => import("./reconciliations/reconciliations-page.tsx"), "ReconciliationsPage");
const ReconciliationPage = loadable(() => import("./reconciliations/reconciliation-page.tsx"), "ReconciliationPage");
const PeoplePage = loadable(() => import("./people/people-page.tsx"), "PeoplePage");
const PersonPage = loadable(() => import("./people/person-page.tsx"), "PersonPage");
const AccountPage = loadable(() => import("./people/account-page.tsx"), "AccountPage");
const MerchantsPage = loadable(() => import("./setup/merchants-page.tsx"), "MerchantsPage");
const MerchantPage = loadable(() => import("./setup/merchants-page.tsx"), "MerchantPage");
const UnresolvedPage = loadable(() => import("./operations/unresolved-page.tsx"), "UnresolvedPage");
const AuditPage = loadable(() => import("./operations/audit-page.tsx"), "AuditPage");
const KeysPage = loadable(() => import("./operations/keys-page.tsx"), "KeysPage");
const TokensPage = loadable(() => import("./setup/tokens-page.tsx"), "TokensPage");
const ProcessorsPage = loadable(() => import("./setup/processors-page.tsx"), "ProcessorsPage");
const ProcessorPage = loadable(() => import("./processors/processor-page.tsx"), "ProcessorPage");
const RoutingPage = loadable(() => import("./routing/routing-page.tsx"), "RoutingPage");
const CardTestingPage = loadable(() => import("./card-testing/card-testing-page.tsx"), "CardTestingPage");
const WebhooksPage = loadable(() => import("./setup/webhooks-page.tsx"), "WebhooksPage");

const PAGES: Readonly<Record<RoutePath, (record: { readonly id: string }) => ReactNode>> = {
  "/overview": OverviewPage,
  "/transactions": TransactionsPage,
  "/transactions/:id": TransactionPage,
  "/cards": CardsPage,
  "/cards/:id": CardPage,
  "/plans": PlansPage,
  "/plans/:id": PlanPage,
  "/batches": BatchesPage,
  "/batches/:id": BatchPage,
  "/ledger": LedgerPage,
  "/disputes": DisputesPage,
  "/disputes/:id": DisputePage,
  "/reconciliations": ReconciliationsPage,
  "/reconciliations/:id": ReconciliationPage,
  "/people": PeoplePage,
  "/people/:id": PersonPage,
  "/account": AccountPage,
  "/merchants": MerchantsPage,
  "/merchants/:id": MerchantPage,
  "/unresolved": UnresolvedPage,
  "/audit": AuditPage,
  "/keys": KeysPage,
  "/bench": BenchPage,
  "/processors": ProcessorsPage,
  "/processors/:id": ProcessorPage,
  "/routing": RoutingPage,
  "/card-testing": CardTestingPage,
  "/tokens": TokensPage,
  "/webhooks": WebhooksPage,
};

export function App() {
  const who = useSignedIn();
  const [path] = useLocation();
  const door = useRead({ queryKey: ["door"], queryFn: openDoor, staleTime: Number.POSITIVE_INFINITY });
  if (door.data === undefined) return door.isError ? <AtTheDoor {...door} /> : <Loading />;
  if (who === undefined) return <SignInPage sessions={door.data.sessions} />;
  if (who.kind === "session" && who.session.must !== null) return <MustPage must={who.session.must} />;
  // An operator looks at one merchant at a time, and the first is chosen as soon as it is known.
  if (who.kind === "session" && who.merchantId === undefined)
    return (
      <Shell>
        <NoMerchant />
      </Shell>
    );
  return (
    <Shell key={viewerOf(who)}>
      <Fallible key={path} instead={(fault, again) => <NotShownPage fault={fault} again={again} />}>
        <Switch>
          <Route path="/">
            <Redirect to="/overview" replace />
          </Route>
          {ROUTES.map((path) => {
            const Page = PAGES[path];
            return (
              <Route key={path} path={path}>
                {/* Another record's page begins anew. */}
                {({ id = "" }: { readonly id?: string }) => <Page key={id} id={id} />}
              </Route>
            );
          })}
          <Route component={NotFoundPage} />
        </Switch>
      </Fallible>
    </Shell>
  );
}

/** Nobody knows yet who is there. */
const AtTheDoor = ({ error, refetch }: Pick<Read<Door>, "error" | "refetch">) => (
  <Container component="main" size="xs" pt={80}>
    <Fault fault={error} again={() => void refetch()} />
  </Container>
);
