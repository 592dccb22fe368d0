// `npm test -- --quick`, for work at the desk: types, lint, the rules and all that is tested beside its code, the conformance of each
// kind, a small simulation with a quarter of what is random, and a journey of each sort. What needs many gateways, many seconds or the whole machine is left out.

/** Of folders, what takes long. */
const IN_PART: readonly { readonly under: string; readonly but: readonly string[] }[] = [
  // Each has a database of its own, or waits for clocks.
  {
    under: "src/",
    but: ["src/journal/", "src/cli/", "src/webhooks/", "src/workers/", "src/gateway/prepare-reads", "src/archive/"],
  },
  { under: "test/conformance/", but: [] },
  { under: "test/style/", but: [] },
];

export const ONE_OF_EACH_SORT: ReadonlySet<string> = new Set([
  "src/journal/postgres-journal.test.ts",
  "test/simulation/histories.test.ts",
  "test/journeys/adyen.test.ts",
  "test/journeys/bad-bodies.test.ts",
  "test/journeys/disputes-by-hand.test.ts",
  "test/journeys/idempotency.test.ts",
  "test/journeys/stripe.test.ts",
  "test/journeys/tenants.test.ts",
  "test/journeys/webhooks.test.ts",
  "test/console/unchanged.test.ts",
]);

export const isQuick = (file: string): boolean =>
  ONE_OF_EACH_SORT.has(file) ||
  IN_PART.some(({ under, but }) => file.startsWith(under) && !but.some((part) => file.startsWith(part)));

export const NOT_QUICK =
  "A quick run leaves out the journal, the command line, webhooks, workers, the archive, most journeys, the console in a browser, crashes, torture and acceptance. npm test runs them.";
