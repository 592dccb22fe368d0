// `node bin/run.mjs bench/small-requests.ts [requests]`: the gateway's CPU time for a request that comes to nothing, beside that
// of a bare server for the same bytes. Such requests cost their sender nothing, so what they take is taken from others' sales.
// CPU time hardly depends on what else the machine does, so the two stand in one run, by turns. Ends by itself within a minute.

import autocannon, { type Request } from "autocannon";
import { newFolder } from "./data.ts";
import { bareServer } from "./floors.ts";
import { launchGateway, type RunningGateway } from "./gateway.ts";
import { TARGET_CONNECTIONS } from "./plan.ts";
import { cpuMicros } from "./processes.ts";
import { saleRequests } from "./sale.ts";
import { openSender } from "./sender.ts";
import { median } from "./statistics.ts";
import { undoing } from "./undo.ts";

const REQUESTS = Number(process.argv[2] ?? 8_000);
const ROUNDS = 3;
const CONNECTIONS = 16;
/** V8 has then seen a busy gateway, and connections that came and went. */
const SALES_BEFORE = 1_000;

interface Subject {
  readonly url: string;
  readonly pid: number;
}

await undoing(async (undo) => {
  const gateway = await (await undo.started(launchGateway(["src/main.ts"], newFolder(undo)))).ready;
  const bare = await bareServer(undo);
  const sender = openSender();
  undo.add(sender.close);
  await sender.send(gateway, TARGET_CONNECTIONS, { sales: SALES_BEFORE });
  const table: Record<string, object> = {};
  for (const [what, request] of Object.entries(requestsTo(gateway))) {
    const micros = { gateway: [] as number[], bare: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      micros.gateway.push(await microsOf(gateway, request));
      micros.bare.push(await microsOf(bare, request));
    }
    const [ours, floor] = [median(micros.gateway), median(micros.bare)];
    table[what] = { µs: Math.round(ours), "bare µs": Math.round(floor), times: Number((ours / floor).toFixed(1)) };
  }
  console.table(table);
});

function requestsTo({ sandbox }: RunningGateway): Readonly<Record<string, Request>> {
  const token = sandbox.api_token;
  const { headers, body } = saleRequests(token, sandbox.processors.usd ?? "", "wrong")();
  const authorization = `Bearer ${token}`;
  const wrong = { ...JSON.parse(body), card_expiry_month: "13", merchant_transaction_id: undefined };
  return {
    "GET /health/ready": { path: "/health/ready" },
    "404": { path: "/nothing" },
    "404 with a token": { path: "/api/nothing", headers: { authorization } },
    "401, and 429 from the 31st on": { path: "/api/transactions", headers: { authorization: "Bearer fg_test_guess" } },
    "422 of a sale": { method: "POST", path: "/api/transactions/sale", headers, body: JSON.stringify(wrong) },
  };
}

async function microsOf({ url, pid }: Subject, request: Request): Promise<number> {
  const before = cpuMicros(pid);
  const { requests, errors, timeouts } = await autocannon({
    url,
    connections: CONNECTIONS,
    amount: REQUESTS,
    requests: [request],
  });
  if (errors + timeouts > 0) throw new Error(`${errors} errors, ${timeouts} without an answer`);
  return (cpuMicros(pid) - before) / requests.total;
}
