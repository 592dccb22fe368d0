// Which page an address shows. Who is not signed in sees the sign-in at every address, and the page that was asked for after.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect } from "react";
import { Redirect, Route, Switch } from "wouter";
import { useSignedIn } from "./api/session.ts";
import { openDoor } from "./api/sign-in.ts";
import { Loading } from "./parts/states.tsx";
import { NotFoundPage } from "./shell/not-found-page.tsx";
import { Shell } from "./shell/shell.tsx";
import { MustPage } from "./sign-in/must-page.tsx";
import { SignInPage } from "./sign-in/sign-in-page.tsx";
import { TransactionPage } from "./transaction/transaction-page.tsx";
import { TransactionsPage } from "./transactions/transactions-page.tsx";

const BenchPage = lazy(async () => ({ default: (await import("./bench/bench-page.tsx")).BenchPage }));
const BatchesPage = lazy(async () => ({ default: (await import("./batches/batches-page.tsx")).BatchesPage }));
const BatchPage = lazy(async () => ({ default: (await import("./batches/batch-page.tsx")).BatchPage }));
const LedgerPage = lazy(async () => ({ default: (await import("./batches/ledger-page.tsx")).LedgerPage }));

const TokensPage = lazy(async () => ({ default: (await import("./setup/tokens-page.tsx")).TokensPage }));
const ProcessorsPage = lazy(async () => ({ default: (await import("./setup/processors-page.tsx")).ProcessorsPage }));
const WebhooksPage = lazy(async () => ({ default: (await import("./setup/webhooks-page.tsx")).WebhooksPage }));

export function App() {
  const who = useSignedIn();
  const queries = useQueryClient();
  const door = useQuery({ queryKey: ["door"], queryFn: openDoor, staleTime: Number.POSITIVE_INFINITY, retry: false });
  const holder =
    who === undefined ? undefined : who.kind === "token" ? who.apiToken : `${who.session.person.id} ${who.merchantId}`;

  // What one person has read is not shown to the next.
  useEffect(() => {
    if (holder === undefined) queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "door" });
  }, [holder, queries]);

  if (door.isPending) return <Loading />;
  if (who === undefined) return <SignInPage sessions={door.data?.sessions ?? false} />;
  if (who.kind === "session" && who.session.must !== null) return <MustPage must={who.session.must} />;
  return (
    <Shell key={holder}>
      <Suspense fallback={<Loading />}>
        <Switch>
          <Route path="/">
            <Redirect to="/transactions" replace />
          </Route>
          <Route path="/transactions" component={TransactionsPage} />
          <Route path="/transactions/:id">{({ id }) => <TransactionPage key={id} id={id} />}</Route>
          <Route path="/batches" component={BatchesPage} />
          <Route path="/batches/:id">{({ id }) => <BatchPage key={id} id={id} />}</Route>
          <Route path="/ledger" component={LedgerPage} />
          <Route path="/bench" component={BenchPage} />
          <Route path="/processors" component={ProcessorsPage} />
          <Route path="/tokens" component={TokensPage} />
          <Route path="/webhooks" component={WebhooksPage} />
          <Route component={NotFoundPage} />
        </Switch>
      </Suspense>
    </Shell>
  );
}
