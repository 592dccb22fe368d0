// The addresses of the console's pages, below /console. App shows a page for each, and the browser tests walk each.

export const ROUTES = [
  "/overview",
  "/transactions",
  "/transactions/:id",
  "/plans",
  "/plans/:id",
  "/batches",
  "/batches/:id",
  "/ledger",
  "/disputes",
  "/disputes/:id",
  "/reconciliations",
  "/reconciliations/:id",
  "/people",
  "/people/:id",
  "/account",
  "/merchants",
  "/merchants/:id",
  "/unresolved",
  "/audit",
  "/keys",
  "/bench",
  "/processors",
  "/processors/:id",
  "/routing",
  "/card-testing",
  "/tokens",
  "/webhooks",
] as const;

export type RoutePath = (typeof ROUTES)[number];
