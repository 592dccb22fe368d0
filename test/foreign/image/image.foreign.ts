// The image of deploy/Dockerfile, built by buildah for two kinds of processor on base images of Debian's packages, and run by podman as
// docs/deploying.md says: it may write nothing, is nobody, has no rights and 512 MB.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Host } from "../../../acquirer/host.ts";
import { freePort } from "../../../bench/free-port.ts";
import { commitSeconds } from "../../../scripts/packing.ts";
import { startEmbedded } from "../../../src/journal/embedded/embedded.ts";
import { PORT } from "../../../src/journal/embedded/sockets.ts";
import { testHost, testSettings } from "../../conformance/iso8583-subject.ts";
import { callers } from "../../journeys/gateway.ts";
import { expectStatus, newMerchant, sale, transactionOf } from "../../journeys/merchant.fixture.ts";
import { ROOT } from "../../runner/jobs.ts";
import { run, runAtOnce } from "../tools.ts";
import { makeBaseImages } from "./base-images.ts";
import { buildTestImage } from "./built.ts";
import { type Container, healthy, startContainer, useOwnStore } from "./containers.ts";

const NAME = "localhost/faregate:test";
const WRITING = { framing: "binary-2", digits: "ascii", bitmap: "hex" } as const;
const NODE = "/nodejs/bin/node";
/** In the image, with the options of its entry point left out. */
const COMMAND = [NODE, "/app/dist/faregate.js"];
const AS_NOBODY = ["--read-only", "--user=65532:65532", "--cap-drop=ALL", "--security-opt=no-new-privileges"];
const SMALL = ["--memory=512m", "--memory-swap=512m", "--tmpfs=/tmp:size=16m,mode=1777"];

interface Inspected {
  readonly Architecture: string;
  readonly Size: number;
  readonly Config: { readonly User: string; readonly Labels: Readonly<Record<string, string>> };
  readonly RootFS: { readonly Layers: readonly string[] };
}
const inspected = async (image: string): Promise<Inspected> => {
  const [found] = JSON.parse((await runAtOnce("podman", ["image", "inspect", image])).stdout) as [Inspected];
  return found;
};

describe("the image", () => {
  const folder = mkdtempSync(join(tmpdir(), "faregate-image-"));
  const undo: (() => Promise<unknown>)[] = [];
  let host: Host;
  let environment: string;
  before(async () => {
    useOwnStore();
    await makeBaseImages();
    await buildTestImage(NAME, ["linux/amd64", "linux/arm64"]);
    // On an address that nobody else listens on: the embedded server's port is always the same one.
    const address = `127.${[...randomBytes(3)].map((byte) => (byte % 250) + 1).join(".")}`;
    const settings = { listen_addresses: address };
    const { connection, stop } = await startEmbedded({ dataFolder: folder, log: () => undefined, settings });
    undo.push(stop);
    host = await testHost(WRITING);
    undo.push(() => host.stop());
    environment = join(folder, "environment");
    const url = `postgres://${connection.user}:${connection.password}@${address}:${PORT}/${connection.database}`;
    const secrets = ["FAREGATE_SECRET", "FAREGATE_MASTER_KEY"].map(
      (name) => `${name}=${randomBytes(32).toString("base64")}`,
    );
    writeFileSync(environment, `DATABASE_URL=${url}\n${secrets.join("\n")}\n`);
  });
  after(async () => {
    for (const step of undo.toReversed()) await step();
    await run("buildah", ["rmi", "--prune"]).catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  });

  const gateway = async (port: number, ...words: string[]): Promise<Container> => {
    const settings = ["--env-file", environment, "--env=HOST=127.0.0.1", `--env=PORT=${port}`];
    const container = await startContainer(
      `${NAME}-amd64`,
      ["--network=host", ...AS_NOBODY, ...SMALL, ...settings],
      ...words,
    );
    undo.push(container.remove);
    return container;
  };

  test("is there for amd64 and arm64, with each platform's own Node and nobody as its user", async (t) => {
    const list = JSON.parse((await run("buildah", ["manifest", "inspect", NAME])).stdout) as {
      readonly manifests: readonly { readonly platform: { readonly architecture: string } }[];
    };
    assert.deepEqual(list.manifests.map(({ platform }) => platform.architecture).sort(), ["amd64", "arm64"]);
    for (const arch of ["amd64", "arm64"]) {
      const { Architecture, Config, Size } = await inspected(`${NAME}-${arch}`);
      assert.deepEqual([Architecture, Config.User], [arch, "65532:65532"]);
      assert.equal(Config.Labels["org.opencontainers.image.licenses"], "Apache-2.0");
      assert.ok(Size < 250 * 2 ** 20, `${Size} bytes`);
      t.diagnostic(`${arch}: ${Math.round(Size / 2 ** 20)} MiB`);
    }
  });

  test("is the same to the byte when it is built again of another checkout: manifest, settings and layers", async () => {
    const sources = join(folder, "another checkout");
    mkdirSync(sources);
    const { stdout: files } = await run("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
      cwd: ROOT,
    });
    const there = files.split("\n").filter((file) => file !== "" && existsSync(join(ROOT, file)));
    for (const file of there) cpSync(join(ROOT, file), join(sources, file));
    const again = `${NAME}-again`;
    const env = { SOURCE_DATE_EPOCH: `${commitSeconds()}` };
    await buildTestImage(again, ["linux/amd64"], { sources, options: ["--no-cache"], env });
    const digests = async (name: string): Promise<readonly string[]> => {
      const layout = join(folder, name.replace(/.*:/, ""));
      await run("buildah", ["push", "--quiet", "--format", "oci", `${name}-amd64`, `oci:${layout}:test`]);
      // Each file is named by its digest, and index.json names the manifest's.
      return [readFileSync(join(layout, "index.json"), "utf8"), ...readdirSync(join(layout, "blobs/sha256")).sort()];
    };
    const made = await digests(again);
    // The manifest, the settings, a layer of the base image and one of this.
    assert.equal(made.length, 1 + 4);
    assert.deepEqual(made, await digests(NAME));
  });

  test("has no shell, no package manager and no tool of the build", async () => {
    const script = `
      const { existsSync } = require("node:fs");
      const found = ["/bin/sh", "/usr/bin/apt", "/usr/bin/dpkg", "/app/src", "/app/node_modules/typescript", "/app/node_modules/vite"].filter(existsSync);
      console.log(JSON.stringify(found));`;
    const options = [
      "run",
      "--rm",
      "--network=none",
      ...AS_NOBODY,
      `--entrypoint=${NODE}`,
      `${NAME}-amd64`,
      "-e",
      script,
    ];
    assert.deepEqual(JSON.parse((await runAtOnce("podman", options)).stdout), []);
  });

  test("migrates, starts, sells and ends, while it may write nothing and has 512 MB", async (t) => {
    const port = await freePort();
    const migration = await gateway(port, "migrate");
    assert.equal(Number((await runAtOnce("podman", ["wait", migration.id])).stdout), 0, await migration.logs());

    const since = performance.now();
    const container = await gateway(port);
    await healthy(container);
    t.diagnostic(`healthy after ${Math.round(performance.now() - since)} ms`);
    const status = await container.exec(NODE, "-p", 'require("node:fs").readFileSync("/proc/1/status", "latin1")');
    assert.match(status, /^Uid:\s+65532\s+65532\s+65532\s+65532$/m);
    assert.match(status, /^CapBnd:\s+0+$/m);
    assert.match(status, /^NoNewPrivs:\s+1$/m);
    const write = 'try { require("node:fs").writeFileSync("/app/x", "") } catch (fault) { console.log(fault.code) }';
    assert.equal(await container.exec(NODE, "-e", write), "EROFS\n");

    const made = JSON.parse(await container.exec(...COMMAND, "operator-token", "create", "--name", "Test", "--json"));
    const url = `http://127.0.0.1:${port}`;
    const operator = callers(url, null, made.operator_token.secret);
    const settings = testSettings(host.port, WRITING);
    const merchant = await newMerchant(operator, { kind: "iso8583", settings });
    const shop = callers(url, merchant.token, "");
    const sold = transactionOf(expectStatus(await shop.post("/api/transactions/sale", sale()), 200));
    assert.equal(sold.events[0].success, true);
    for (let asked = 0; asked < 20; asked++) expectStatus(await shop.get("/api/transactions"), 200);
    expectStatus(await shop.get("/console"), 200);

    // What is on its way when the stop comes is answered.
    const inFlight = shop.post("/api/transactions/sale", sale({ amount: "7.00" }));
    await sleep(5);
    const [code, last] = await Promise.all([container.stop(30), inFlight]);
    assert.deepEqual([code, last.status], [0, 200], await container.logs());
    const lines = (await container.logs()).trim().split("\n");
    const bad = lines.filter((line) => (JSON.parse(line) as { readonly level: number }).level >= 50);
    assert.deepEqual(bad, []);
  });
});
