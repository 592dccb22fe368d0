// nginx, HAProxy and Caddy before the gateway, with the settings that docs/proxies.md shows: sales go through, the gateway knows who the client
// is, a forged header is nobody's, and HTTP/2 towards the gateway is refused.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../bench/free-port.ts";
import { keptLog, startTestGateway } from "../../journeys/gateway.ts";
import { type Gateway, sale } from "../../journeys/merchant.fixture.ts";
import { ROOT } from "../../runner/jobs.ts";
import { isInPath } from "../steps.ts";

/** Of this machine's own addresses, one is the client's. */
const CLIENT = "127.0.0.77";
const FORGED = "192.0.2.200";
const BASE = "/pay";

/** A program that listens, with its settings in a file. */
interface Proxy {
  readonly name: string;
  readonly program: string;
  readonly settings: (port: number, gateway: number, folder: string) => string;
  readonly parameters: (file: string, folder: string) => readonly string[];
}

/** The one of docs/proxies.md in that language. */
const shown = (language: string): string => {
  const [, text = ""] =
    new RegExp(`^\`\`\`${language} .*\\n([^]*?)^\`\`\`$`, "m").exec(
      readFileSync(join(ROOT, "docs/proxies.md"), "utf8"),
    ) ?? [];
  assert.notEqual(text, "", language);
  return text;
};

/** Without TLS, which needs a certificate; the rest as shown. */
const nginxOf =
  (change: (text: string) => string = (text) => text) =>
  (port: number, gateway: number, folder: string): string => {
    const server = shown("nginx")
      .replace("127.0.0.1:8080", `127.0.0.1:${gateway}`)
      .replace("listen 443 ssl", `listen 127.0.0.1:${port}`)
      .replace(/^ *ssl_.*\n/gm, "");
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const http = `access_log off; ${temporary.join(" ")}\n${change(server)}`;
    return `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;\nevents {}\nhttp { ${http} }\n`;
  };
const haproxyOf =
  (change: (text: string) => string = (text) => text) =>
  (port: number, gateway: number): string =>
    `global\n  maxconn 100\n${change(shown("haproxy").replace("127.0.0.1:8080", `127.0.0.1:${gateway}`).replace(":8443", `127.0.0.1:${port}`))}`;
const caddyOf =
  (change: (text: string) => string = (text) => text) =>
  (port: number, gateway: number): string => {
    const site = shown("caddyfile")
      .replace("127.0.0.1:8080", `127.0.0.1:${gateway}`)
      .replace("pay.example.com", `http://127.0.0.1:${port}`);
    return `{\n\tadmin off\n\tauto_https off\n}\n${change(site)}`;
  };

const nginx = { program: "nginx", parameters: (file: string, folder: string) => ["-c", file, "-p", folder] } as const;
const haproxy = { program: "haproxy", parameters: (file: string) => ["-db", "-f", file] } as const;
const caddy = {
  program: "caddy",
  parameters: (file: string) => ["run", "--adapter", "caddyfile", "--config", file],
} as const;

/** Each way to the gateway, and whether the client's own `X-Forwarded-For` arrives there. */
const WAYS: readonly Proxy[] = [
  { name: "nginx", ...nginx, settings: nginxOf() },
  { name: "HAProxy, version 2 of the PROXY protocol", ...haproxy, settings: haproxyOf() },
  {
    name: "HAProxy, version 1",
    ...haproxy,
    settings: haproxyOf((text) => text.replace("send-proxy-v2", "send-proxy")),
  },
  { name: "Caddy", ...caddy, settings: caddyOf() },
  {
    name: "nginx that takes the path away",
    ...nginx,
    settings: nginxOf((text) =>
      text.replace("location / {", `location ${BASE}/ {`).replace("http://faregate;", "http://faregate/;"),
    ),
  },
  {
    name: "Caddy that takes the path away",
    ...caddy,
    settings: caddyOf((text) =>
      text.replace("\treverse_proxy", `\thandle_path ${BASE}/* {\n\t\treverse_proxy`).replace(/\n}\n$/, "\n\t}\n}\n"),
    ),
  },
];
const OVER_HTTP_2: readonly Proxy[] = [
  { name: "Caddy", ...caddy, settings: caddyOf((text) => text.replace("reverse_proxy ", "reverse_proxy h2c://")) },
  {
    name: "HAProxy",
    ...haproxy,
    settings: haproxyOf((text) => text.replaceAll("mode tcp", "mode http").replace("send-proxy-v2 check", "proto h2")),
  },
];

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}
/** From the client's address. */
function ask(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  json?: object,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const body = json === undefined ? undefined : JSON.stringify(json);
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const options = {
      host: "127.0.0.1",
      port,
      localAddress: CLIENT,
      method,
      path,
      headers: { ...type, ...headers },
      agent: false,
    };
    const sent = request(options, (response) => {
      let text = "";
      response.on("data", (chunk) => (text += chunk)).on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
    });
    sent
      .setTimeout(20_000, () => sent.destroy(new Error("no answer")))
      .on("error", reject)
      .end(body);
  });
}

describe("behind a proxy", () => {
  const folder = mkdtempSync(join(tmpdir(), "faregate-proxies-"));
  const kept = keptLog();
  let reads: Gateway;
  let passesOn: Gateway;
  before(async () => {
    reads = await startTestGateway({ trustProxy: ["127.0.0.1"], basePath: BASE }, {}, kept.log);
    passesOn = await startTestGateway({ proxyProtocol: ["127.0.0.1"], basePath: BASE }, {}, kept.log);
  });
  after(async () => {
    await reads?.close();
    await passesOn?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const gatewayOf = ({ program }: Proxy): Gateway => (program === "haproxy" ? passesOn : reads);
  /** @returns its port */
  async function started(proxy: Proxy, gateway: Gateway) {
    const own = mkdtempSync(join(folder, `${proxy.program}-`));
    const port = await freePort();
    const file = join(own, "settings");
    writeFileSync(file, proxy.settings(port, Number(new URL(gateway.url).port), own));
    mkdirSync(join(own, "home"));
    const env = { PATH: process.env.PATH, HOME: join(own, "home"), XDG_DATA_HOME: own, XDG_CONFIG_HOME: own };
    const child = spawn(proxy.program, proxy.parameters(file, own), { env, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
    const stop = async () => {
      if (child.exitCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    };
    for (let tries = 0; ; tries++) {
      const there = await ask(port, "GET", `${BASE}/health/live`).then(
        ({ status }) => status,
        () => undefined,
      );
      // HAProxy asks the gateway first whether it is ready.
      if (there !== undefined && (there === 200 || tries > 5)) return { port, stop };
      if (tries > 100 || child.exitCode !== null) {
        await stop();
        throw new Error(`${proxy.name} does not listen: ${text}`);
      }
      await sleep(100);
    }
  }

  for (const proxy of WAYS)
    test(`${proxy.name}: a sale goes through, and the gateway knows who the client is`, async (t) => {
      if (!isInPath(proxy.program)) return t.skip(`${proxy.program} is not in PATH`);
      const gateway = gatewayOf(proxy);
      const { port, stop } = await started(proxy, gateway);
      try {
        const authorization = `Bearer ${gateway.sandbox.api_token}`;
        const sold = await ask(port, "POST", `${BASE}/api/transactions/sale`, { authorization }, sale());
        assert.equal(sold.status, 200, sold.text);
        const name = `Behind ${proxy.name}`;
        const headers = { authorization: `Bearer ${gateway.sandbox.operator_token}`, "x-forwarded-for": FORGED };
        const made = await ask(port, "POST", `${BASE}/operator/merchants`, headers, { name });
        assert.equal(made.status, 201, made.text);
        const log = await ask(port, "GET", `${BASE}/operator/audit-log?action=merchant.create`, headers);
        const { entries } = JSON.parse(log.text);
        const entry = entries.find((one: object) => JSON.stringify(one).includes(`"${name}"`));
        assert.equal(entry?.source, CLIENT);
        const console_ = await ask(port, "GET", `${BASE}/`, { accept: "text/html" });
        assert.deepEqual([console_.status, console_.headers.location], [302, `${BASE}/console`]);
        const unknown = await ask(port, "GET", `${BASE}/api/nothing`, { authorization });
        assert.match(String(unknown.headers.link), /^<\/pay\/docs\/errors#/);
        if (!proxy.name.includes("takes")) {
          const list = await Promise.all(
            Array.from({ length: 20 }, () => ask(port, "GET", `${BASE}/api/transactions`, { authorization })),
          );
          assert.ok(list.every(({ status }) => status === 200));
        }
      } finally {
        await stop();
      }
    });

  for (const proxy of OVER_HTTP_2)
    test(`${proxy.name} that speaks HTTP/2 with the gateway gets no answer, and the log says what to do`, async (t) => {
      if (!isInPath(proxy.program)) return t.skip(`${proxy.program} is not in PATH`);
      const log = keptLog();
      const gateway = await startTestGateway({ basePath: BASE }, {}, log.log);
      const { port, stop } = await started(proxy, gateway);
      try {
        const answer = await ask(port, "GET", `${BASE}/health/live`);
        assert.ok(answer.status >= 500, `${answer.status}`);
        assert.ok(log.lines.some(({ msg }) => /^HTTP\/2 was refused.*Let the proxy use HTTP\/1\.1/.test(String(msg))));
      } finally {
        await stop();
        await gateway.close();
      }
    });
});
