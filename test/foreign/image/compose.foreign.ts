// deploy/compose.yaml, started by podman-compose with the image that is built here: its four containers, a sale through its proxy over TLS, and
// data that is still there after `down` and `up`. PostgreSQL and Caddy are stand-ins of the same names (stand-ins.ts).

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Host } from "../../../acquirer/host.ts";
import { freePort } from "../../../bench/free-port.ts";
import { testHost, testSettings } from "../../conformance/iso8583-subject.ts";
import { type Answer, callers } from "../../journeys/gateway.ts";
import { expectStatus, newMerchant, sale, transactionOf } from "../../journeys/merchant.fixture.ts";
import { ROOT } from "../../runner/jobs.ts";
import { pythonWith, runAtOnce } from "../tools.ts";
import { makeBaseImages } from "./base-images.ts";
import { buildTestImage } from "./built.ts";
import { containerOf, healthy, useOwnStore } from "./containers.ts";
import { makeStandIns } from "./stand-ins.ts";

const PROJECT = "faregate-test";
const WRITING = { framing: "binary-2", digits: "ascii", bitmap: "hex" } as const;
const DOMAIN = "localhost";

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { readonly version: string };
const container = (service: string) => containerOf(`${PROJECT}_${service}_1`);
const inspected = async (service: string, format: string): Promise<string> =>
  (await runAtOnce("podman", ["inspect", "--format", format, container(service).id])).stdout.trim();

describe("compose.yaml", () => {
  const folder = mkdtempSync(join(tmpdir(), "faregate-compose-"));
  let program: string;
  let host: Host;
  let port: number;
  let operatorToken: string;
  const compose = async (...words: string[]): Promise<string> => {
    const files = ["deploy/compose.yaml", join(folder, "here.yaml")].flatMap((file) => ["--file", file]);
    const own = ["--project-name", PROJECT, "--env-file", join(folder, ".env"), ...files];
    return (await runAtOnce(program, [...own, ...words], { cwd: ROOT })).stdout;
  };

  /** As docs/deploying.md says: Podman before 4.6 waits for nothing, so that one is started after the other. */
  const up = async () => {
    const start = (...words: string[]) => compose("up", "--no-build", "--detach", ...words);
    const { stdout } = await runAtOnce("podman", ["version", "--format", "{{.Client.Version}}"]);
    const [major = 0, minor = 0] = stdout.split(".").map(Number);
    if (major > 4 || (major === 4 && minor >= 6)) await start();
    else {
      await start("database");
      await healthy(container("database"));
      await start("--no-deps", "migrate");
      assert.equal((await runAtOnce("podman", ["wait", container("migrate").id])).stdout.trim(), "0");
      await start("--no-deps", "gateway", "proxy");
    }
    await healthy(container("gateway"));
  };

  before(async () => {
    useOwnStore();
    await makeBaseImages();
    await buildTestImage(`localhost/faregate:${version}`, ["linux/amd64"]);
    await makeStandIns();
    program = join(await pythonWith("compose", "podman-compose==1.6.0"), "../podman-compose");
    port = await freePort();
    const secrets = {
      ...{ DOMAIN, OPERATOR_NETWORKS: "127.0.0.1/32", POSTGRES_PASSWORD: randomBytes(24).toString("hex") },
      FAREGATE_SECRET: randomBytes(32).toString("base64"),
      FAREGATE_MASTER_KEY: randomBytes(32).toString("base64"),
    };
    const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(join(folder, ".env"), lines.join(""));
    // What differs on this machine: ports that others may have, and that no process may open more files than the tests' own.
    writeFileSync(
      join(folder, "here.yaml"),
      `services:\n  proxy:\n    ports: !override ["127.0.0.1:${port}:443"]\n  gateway:\n    ulimits: !override { nofile: 4096, nproc: 4096 }\n`,
    );
    host = await testHost(WRITING, { address: "0.0.0.0" });
    await up();
  });
  after(async () => {
    await compose("down", "--volumes").catch(() => undefined);
    await host?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const gateway = async () => {
    const address = await inspected("gateway", `{{(index .NetworkSettings.Networks "${PROJECT}_inside").IPAddress}}`);
    return callers(`http://${address}:8080`, null, operatorToken);
  };
  /** Over TLS, by the authority that Caddy has made for a name that is nobody's. */
  const throughProxy = async (
    path: string,
    token: string,
    json?: unknown,
  ): Promise<Pick<Answer, "status" | "body">> => {
    const ca = await container("proxy").exec("cat", "/data/caddy/pki/authorities/local/root.crt");
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const options = { host: "127.0.0.1", port, path, ca, servername: DOMAIN, headers: { ...headers, host: DOMAIN } };
      const asked = request({ ...options, method: json === undefined ? "GET" : "POST" }, async (response) => {
        const text = (await response.toArray()).join("");
        resolve({ status: response.statusCode ?? 0, body: text.startsWith("{") ? JSON.parse(text) : text });
      });
      asked.on("error", reject).end(json === undefined ? undefined : JSON.stringify(json));
    });
  };

  let shop: { readonly token: string };
  let sold: { readonly id: string };

  test("a first operator is made, and a sale goes through the proxy over TLS", async () => {
    const words = ["operator-token", "create", "--name", "Jane", "--json"];
    operatorToken = JSON.parse(await compose("run", "--rm", "--no-deps", "gateway", ...words)).operator_token.secret;
    const network = ["network", "inspect", "--format", "{{(index .Subnets 0).Gateway}}", `${PROJECT}_outside`];
    const outside = (await runAtOnce("podman", network)).stdout.trim();
    const settings = { ...testSettings(host.port, WRITING), host: outside };
    shop = await newMerchant(await gateway(), { kind: "iso8583", settings });
    const answer = await throughProxy("/api/transactions/sale", shop.token, sale());
    sold = transactionOf(expectStatus(answer as Answer, 200));
    assert.equal(transactionOf(answer as Answer).events[0].success, true);
  });

  test("the proxy passes nobody from elsewhere on to /operator, and no port but its own can be reached from outside", async () => {
    assert.equal((await throughProxy("/operator/merchants", operatorToken)).status, 403);
    for (const service of ["database", "gateway"])
      assert.doesNotMatch(await inspected(service, "{{json .NetworkSettings.Ports}}"), /HostPort/);
  });

  test("the database has no way out, and the gateway has", async () => {
    const networks = async (service: string) =>
      Object.keys(JSON.parse(await inspected(service, "{{json .NetworkSettings.Networks}}"))).sort();
    assert.deepEqual(await networks("database"), [`${PROJECT}_inside`]);
    assert.deepEqual(await networks("gateway"), [`${PROJECT}_inside`, `${PROJECT}_outside`]);
    const internal = ["network", "inspect", "--format", "{{.Internal}}", `${PROJECT}_inside`];
    assert.equal((await runAtOnce("podman", internal)).stdout.trim(), "true");
  });

  test("the gateway may write nothing, has no rights, and ends at SIGTERM without a complaint", async () => {
    const node = "/nodejs/bin/node";
    const status = await container("gateway").exec(
      node,
      "-p",
      'require("node:fs").readFileSync("/proc/1/status", "latin1")',
    );
    assert.match(status, /^CapBnd:\s+0+$/m);
    assert.match(status, /^NoNewPrivs:\s+1$/m);
    const write = 'try { require("node:fs").writeFileSync("/app/x", "") } catch (fault) { console.log(fault.code) }';
    assert.equal(await container("gateway").exec(node, "-e", write), "EROFS\n");
    await compose("stop", "gateway");
    assert.equal(await inspected("gateway", "{{.State.ExitCode}}"), "0");
    const lines = (await container("gateway").logs()).trim().split("\n");
    const bad = lines.filter((line) => (JSON.parse(line) as { readonly level: number }).level >= 50);
    assert.deepEqual(bad, []);
  });

  test("what was sold is there after down and up, and is refunded", async () => {
    await compose("down");
    await up();
    const path = `/api/transactions/${sold.id}`;
    assert.equal(transactionOf((await throughProxy(path, shop.token)) as Answer).id, sold.id);
    const refunded = await throughProxy(`${path}/refund`, shop.token, { amount: "1.00" });
    assert.equal(transactionOf(expectStatus(refunded as Answer, 200)).events.at(-1).success, true);
  });

  test("a backup by the command of the docs has the sale in it", async () => {
    const dump = ["pg_dump", "--username", "faregate", "--data-only", "--table", "transactions", "faregate"];
    assert.ok((await container("database").exec(...dump)).includes(sold.id));
  });
});
