// `node bin/run.mjs bench/observability.ts [sales]`: the gateway's CPU time for a sale when nobody looks on, and with each setting of
// those who do. CPU time hardly depends on what else the machine does, and rounds go through all of them by turns, so the figures of
// one run can be compared. Ends by itself within some minutes.

import { newFolder } from "./data.ts";
import { launchGateway, type RunningGateway } from "./gateway.ts";
import { TARGET_CONNECTIONS } from "./plan.ts";
import { openSender } from "./sender.ts";
import { median } from "./statistics.ts";
import { undoing } from "./undo.ts";

const SALES = Number(process.argv[2] ?? 3_000);
const ROUNDS = 5;
const SALES_BEFORE = 2_000;

const SUBJECTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  nobody: {},
  figures: { METRICS_PORT: "0" },
  "access log": { ACCESS_LOG: "on" },
  // Nobody is there: what is made and dropped is what costs.
  traces: { TRACES_ENDPOINT: "http://127.0.0.1:1/v1/traces" },
};

await undoing(async (undo) => {
  const sender = openSender();
  undo.add(sender.close);
  const gateways = new Map<string, RunningGateway>();
  for (const [name, settings] of Object.entries(SUBJECTS)) {
    const all = { RATE_LIMIT_PER_MINUTE: "0", ...settings };
    const gateway = await (await undo.started(launchGateway(["src/main.ts"], newFolder(undo), [], all))).ready;
    await sender.send(gateway, TARGET_CONNECTIONS, { sales: SALES_BEFORE });
    gateways.set(name, gateway);
  }
  const micros = new Map([...gateways.keys()].map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, gateway] of gateways) {
      const { gatewayMicrosPerSale } = await sender.send(gateway, TARGET_CONNECTIONS, { sales: SALES });
      micros.get(name)?.push(gatewayMicrosPerSale);
    }
  const base = median(micros.get("nobody") ?? []);
  console.table(
    Object.fromEntries(
      [...micros].map(([name, rounds]) => {
        const percent = ((median(rounds) / base - 1) * 100).toFixed(1);
        return [
          name,
          { "µs a sale": Math.round(median(rounds)), "more, %": percent, rounds: rounds.map(Math.round).join(" ") },
        ];
      }),
    ),
  );
});
