// A database that cannot be used is told with what to do about it.

import assert from "node:assert/strict";
import { createServer, type Server } from "node:net";
import { test } from "node:test";
import { openDatabase } from "./open-database.ts";
import { readSettings } from "./settings.ts";

test("a server without TLS, where the URL demands it, is called that", async () => {
  const server = await withoutTls();
  server.unref();
  const { port } = server.address() as { port: number };
  for (const mode of ["require", "verify-full"]) {
    const url = `postgres://u:hidden@127.0.0.1:${port}/x?sslmode=${mode}`;
    const read = readSettings({ DATABASE_URL: url, FAREGATE_SECRET: Buffer.alloc(32, 1).toString("base64") });
    assert(read.ok);
    await assert.rejects(
      openDatabase(read.settings, () => undefined),
      {
        name: "StartFault",
        message:
          `Cannot use the database postgres://u:•••@127.0.0.1:${port}/x: the server does not speak TLS. ` +
          "Switch TLS on at the server (ssl = on), or, where nobody else can read the network, set sslmode=disable in DATABASE_URL.",
      },
    );
  }
  server.close();
});

const unusable: readonly [query: string, why: string][] = [
  ["sslrootcert=/no/such/ca.pem", "ENOENT: no such file or directory, open '/no/such/ca.pem'"],
  ["port=abc", "Invalid port: abc"],
];
for (const [query, why] of unusable) {
  test(`a URL with ${query} is told in one line, without its password`, async () => {
    const read = readSettings({ DATABASE_URL: `postgres://u:hidden@127.0.0.1/x?${query}`, FAREGATE_MODE: "sandbox" });
    assert(read.ok);
    await assert.rejects(
      openDatabase(read.settings, () => undefined),
      {
        name: "StartFault",
        message: `Cannot use the database postgres://u:•••@127.0.0.1/x: ${why}. Look at DATABASE_URL.`,
      },
    );
  });
}

/** PostgreSQL, section 54.2.10: a server without TLS answers the request for it with `N`. */
const withoutTls = (): Promise<Server> =>
  new Promise((listening) => {
    const server = createServer((socket) => {
      socket.on("error", () => socket.destroy());
      socket.once("data", () => socket.write("N"));
    });
    server.listen(0, "127.0.0.1", () => listening(server));
  });
