// Which page an address shows. Who is not signed in sees the sign-in at every address, and the page that was asked for after.

import { Container } from "@mantine/core";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { type Read, useRead } from "./api/read.ts";
import { holderOf, useSignedIn } from "./api/session.ts";
import { type Door, openDoor } from "./api/sign-in.ts";
import { OverviewPage } from "./overview/overview-page.tsx";
import { Fallible } from "./parts/fallible.tsx";
import { loadable } from "./parts/loadable.tsx";
import { Fault, Loading } from "./parts/states.tsx";
import { NoMerchant } from "./shell/no-merchant.tsx";
import { NotFoundPage } from "./shell/not-found-page.tsx";
import { NotShownPage } from "./shell/not-shown-page.tsx";
import { Shell } from "./shell/shell.tsx";
import { MustPage } from "./sign-in/must-page.tsx";
import { SignInPage } from "./sign-in/sign-in-page.tsx";
import { TransactionPage } from "./transaction/transaction-page.tsx";
import { TransactionsPage } from "./transactions/transactions-page.tsx";

const BenchPage = loadable(() => import("./bench/bench-page.tsx"), "BenchPage");
const BatchesPage = loadable(() => import("./batches/batches-page.tsx"), "BatchesPage");
const BatchPage = loadable(() => import("./batches/batch-page.tsx"), "BatchPage");
const LedgerPage = loadable(() => import("./batches/ledger-page.tsx"), "LedgerPage");

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
    <Shell key={holderOf(who)}>
      <Fallible key={path} instead={(fault, again) => <NotShownPage fault={fault} again={again} />}>
        <Switch>
          <Route path="/">
            <Redirect to="/overview" replace />
          </Route>
          <Route path="/overview" component={OverviewPage} />
          <Route path="/transactions" component={TransactionsPage} />
          <Route path="/transactions/:id">{({ id }) => <TransactionPage key={id} id={id} />}</Route>
          <Route path="/batches" component={BatchesPage} />
          <Route path="/batches/:id">{({ id }) => <BatchPage key={id} id={id} />}</Route>
          <Route path="/ledger" component={LedgerPage} />
          <Route path="/disputes" component={DisputesPage} />
          <Route path="/disputes/:id">{({ id }) => <DisputePage key={id} id={id} />}</Route>
          <Route path="/reconciliations" component={ReconciliationsPage} />
          <Route path="/reconciliations/:id">{({ id }) => <ReconciliationPage key={id} id={id} />}</Route>
          <Route path="/people" component={PeoplePage} />
          <Route path="/people/:id">{({ id }) => <PersonPage key={id} id={id} />}</Route>
          <Route path="/account" component={AccountPage} />
          <Route path="/merchants" component={MerchantsPage} />
          <Route path="/merchants/:id">{({ id }) => <MerchantPage key={id} id={id} />}</Route>
          <Route path="/unresolved" component={UnresolvedPage} />
          <Route path="/audit" component={AuditPage} />
          <Route path="/keys" component={KeysPage} />
          <Route path="/bench" component={BenchPage} />
          <Route path="/processors" component={ProcessorsPage} />
          <Route path="/processors/:id">{({ id }) => <ProcessorPage key={id} id={id} />}</Route>
          <Route path="/routing" component={RoutingPage} />
          <Route path="/card-testing" component={CardTestingPage} />
          <Route path="/tokens" component={TokensPage} />
          <Route path="/webhooks" component={WebhooksPage} />
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
