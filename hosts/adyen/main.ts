// Adyen's API as a program: `npm run adyen-host`. It stops at SIGTERM and SIGINT, and may be killed at any time.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { startAdyenHost } from "./host.ts";
import { parseRule } from "./misbehaviour.ts";
import type { Conduct } from "./webhooks.ts";

const USAGE = `npm run adyen-host -- [options]
  --port 8591              where gateways ask; 0 takes a free one
  --control-port 8592      HTTP on loopback: POST /misbehave, DELETE /misbehave, POST /webhooks, POST /redeliver {"since": time},
                           POST /settle, POST /payout,
                           GET /balance/<transaction>,
                           POST /disputes/<transaction> {"step": "open" | "inquire" | "respond" | "win" | "lose" | "lapse", "amount": 356}
  --folder adyen-books
  --merchant-account TestMerchant
  --api-key test-key
  --hmac-key …             64 hexadecimal digits; 00 for all of them without it
  --webhook-url http://127.0.0.1:8080/notifications/<processor id>
  --misbehave rule         JSON, several times if need be: {"what": "disconnect-after", "on": ["payments"], "chance": 0.1}
  --webhooks conduct       JSON: {"times": 2, "upToMs": 500, "lost": 0.1}
`;

const { values } = parseArgs({
  options: {
    help: { type: "boolean" },
    port: { type: "string", default: "8591" },
    "control-port": { type: "string", default: "8592" },
    folder: { type: "string", default: "adyen-books" },
    "merchant-account": { type: "string", default: "TestMerchant" },
    "api-key": { type: "string", default: "test-key" },
    "hmac-key": { type: "string", default: "00".repeat(32) },
    "webhook-url": { type: "string" },
    misbehave: { type: "string", multiple: true, default: [] },
    webhooks: { type: "string", default: "{}" },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const host = await startAdyenHost({
  folder: values.folder,
  port: Number(values.port),
  merchantAccount: values["merchant-account"],
  apiKey: values["api-key"],
  hmacKey: values["hmac-key"],
  crash: () => process.kill(process.pid, "SIGKILL"),
});
host.webhooks.url = values["webhook-url"] ?? null;
host.webhooks.conduct = JSON.parse(values.webhooks) as Conduct;
for (const rule of values.misbehave) host.misbehave(parseRule(JSON.parse(rule)));

const control = createServer(async (request, response) => {
  try {
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    response.end(await controlled(`${request.method} ${request.url}`, text));
  } catch (fault) {
    response.writeHead(400).end(`${fault instanceof Error ? fault.message : fault}\n`);
  }
});
control.listen(Number(values["control-port"]), "127.0.0.1");
await once(control, "listening");
const { port } = control.address() as AddressInfo;
console.log(`Adyen host: base_url ${host.baseUrl}, control at http://127.0.0.1:${port}`);

async function controlled(asked: string, text: string): Promise<string> {
  const [, transaction] = /^GET \/balance\/(.+)$/.exec(asked) ?? [];
  if (transaction !== undefined) return `${host.balance(decodeURIComponent(transaction))}\n`;
  const [, disputed] = /^POST \/disputes\/(.+)$/.exec(asked) ?? [];
  if (disputed !== undefined) {
    const [first] = await host.dispute(decodeURIComponent(disputed), text === "" ? {} : JSON.parse(text));
    return `${first?.pspReference}\n`;
  }
  switch (asked) {
    case "POST /misbehave":
      host.misbehave(parseRule(JSON.parse(text)));
      return "";
    case "DELETE /misbehave":
      await host.behave();
      return "";
    case "POST /webhooks": {
      const { url = host.webhooks.url, ...conduct } = JSON.parse(text) as Conduct & { readonly url?: string };
      host.webhooks.url = url;
      host.webhooks.conduct = conduct;
      return "";
    }
    case "POST /redeliver":
      await host.redeliver(new Date((JSON.parse(text) as { readonly since: string }).since));
      return "";
    case "POST /payout":
      return host.payOut();
    case "POST /settle":
      await host.settle();
      return "";
    default:
      throw new TypeError(`There is no ${asked} here.`);
  }
}

let stopping = false;
for (const signal of ["SIGTERM", "SIGINT"] as const)
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    control.close();
    control.closeAllConnections();
    void host.stop().then(() => process.exit(0));
  });
