// `node bin/run.mjs bench/cards.ts [sales]`: the CPU time of a sale by the id of a card on file beside that of a sale by number, of the gateway
// and its database, by turns. CPU time hardly depends on what else the machine does. Ends by itself within a minute.

import autocannon from "autocannon";
import { newFolder } from "./data.ts";
import { databasePidOn, launchGateway, type RunningGateway } from "./gateway.ts";
import { cpuMicros, cpuMicrosOfFamily } from "./processes.ts";
import { saleRequests } from "./sale.ts";
import { median } from "./statistics.ts";
import { undoing } from "./undo.ts";

const SALES = Number(process.argv[2] ?? 5_000);
const ROUNDS = 5;
const CONNECTIONS = 64;

await undoing(async (undo) => {
  const folder = newFolder(undo);
  const gateway = await (await undo.started(launchGateway(["src/main.ts"], folder))).ready;
  const database = databasePidOn(folder);
  if (database === undefined) throw new Error("the gateway has no database of its own");
  const { api_token: token, processors } = gateway.sandbox;
  const next = saleRequests(token, processors.usd ?? "", "cards");
  const { headers } = next();
  const { card_number, card_expiry_month, card_expiry_year, ...others } = JSON.parse(next().body);
  const stored = await fetch(`${gateway.url}/api/cards`, {
    method: "POST",
    headers,
    body: JSON.stringify({ card_number, card_expiry_month, card_expiry_year }),
  });
  const { card } = (await stored.json()) as { readonly card: { readonly id: string } };
  const bodies = {
    number: { ...others, card_number, card_expiry_month, card_expiry_year },
    id: { ...others, card_id: card.id },
  };
  const micros = { number: [] as number[], id: [] as number[] };
  // The first round warms both up.
  for (let round = 0; round <= ROUNDS; round++)
    for (const how of ["number", "id"] as const) {
      const took = await microsOf(gateway, database, headers, JSON.stringify(bodies[how]));
      if (round > 0) micros[how].push(took);
    }
  const [number, id] = [median(micros.number), median(micros.id)];
  console.table({ "µs by number": Math.round(number), "µs by id": Math.round(id), times: (id / number).toFixed(2) });
});

/** Of one sale. */
async function microsOf(
  { url, pid }: RunningGateway,
  database: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<number> {
  const all = () => cpuMicros(pid) + cpuMicrosOfFamily(database);
  const before = all();
  const request = { method: "POST" as const, path: "/api/transactions/sale", headers, body };
  const { requests, errors, non2xx } = await autocannon({
    url,
    connections: CONNECTIONS,
    amount: SALES,
    requests: [request],
  });
  if (errors + non2xx > 0) throw new Error(`${errors} errors, ${non2xx} refused`);
  return (all() - before) / requests.total;
}
