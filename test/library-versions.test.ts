// The few places that use what a library or Node.js does not publish. Each stands here with the version it was read from: whoever raises the
// version looks at the place again.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Client } from "pg";
import { Registry } from "prom-client";

const ROOT = join(import.meta.dirname, "..");
const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  dependencies: Record<string, string>;
};

describe("what is used of a library's private parts", () => {
  for (const [library, version, where] of [
    ["pg", "8.23.1", "src/journal/sql/greeting.ts: connection.attachListeners, connection.stream, processID"],
    ["pg-protocol", "1.16.1", "src/journal/sql/greeting.ts: parse reads events of any emitter"],
    ["prom-client", "15.1.3", "src/observability/tallies.ts: a registry asks a metric for name and get() only"],
    ["fastify", "5.12.8", "src/api/check.ts: a schema controller that compiles nothing"],
  ] as const)
    test(`was read from ${library} ${version} (${where})`, () => {
      assert.equal(dependencies[library], version, `look at ${where} again, then change the version here`);
    });

  test("pg gives a client its connection before it connects, and lets another attach the listeners", () => {
    const { connection } = new Client({ host: "127.0.0.1", port: 1 }) as unknown as { connection: object };
    assert.equal(typeof (connection as { attachListeners?: unknown }).attachListeners, "function");
    assert.ok("stream" in connection);
  });

  test("a registry of prom-client shows what a metric's get() gives", async () => {
    const register = new Registry();
    const get = async () => ({
      name: "a",
      help: "A.",
      type: "counter",
      aggregator: "sum",
      values: [{ value: 1, labels: {} }],
    });
    register.registerMetric({ name: "a", get } as never);
    assert.equal(await register.metrics(), "# HELP a A.\n# TYPE a counter\na 1\n");
  });

  test("a socket of Node.js counts what the system has taken", async () => {
    const server = createServer((socket) => socket.resume()).listen(0, "127.0.0.1");
    await new Promise((listening) => server.once("listening", listening));
    const socket = connect((server.address() as { port: number }).port, "127.0.0.1");
    await new Promise<void>((sent) => socket.write("12345", () => sent()));
    const { _handle } = socket as Socket & { _handle?: { bytesWritten: number; writeQueueSize: number } };
    assert.deepEqual([_handle?.bytesWritten, _handle?.writeQueueSize], [5, 0]);
    socket.destroy();
    server.close();
  });
});
