import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { faregate } from "../../test/command-line.ts";
import { startTestGateway } from "../../test/journeys/gateway.ts";
import { expectStatus, merchantOf, sale } from "../../test/journeys/merchant.fixture.ts";
import { Concealed } from "../settings.ts";

const SECRET = "0f".repeat(32);

describe("the sandbox's clock and batches in the command line, beside a gateway", () => {
  let gateway: Awaited<ReturnType<typeof startTestGateway>>;
  let env: NodeJS.ProcessEnv;
  const forwarder = createServer((client) => {
    const { host, port } = gateway.address;
    const database = connect(join(host, `.s.PGSQL.${port}`));
    client.pipe(database).pipe(client);
    client.on("error", () => database.destroy());
    database.on("error", () => client.destroy());
  });
  before(async () => {
    gateway = await startTestGateway({ secret: new Concealed(Buffer.from(SECRET, "hex")) });
    await once(forwarder.listen(0, "127.0.0.1"), "listening");
    const at = forwarder.address();
    assert(typeof at === "object" && at !== null);
    const { user, password, database } = gateway.address;
    const DATABASE_URL = `postgres://${user}:${password}@127.0.0.1:${at.port}/${database}`;
    env = { DATABASE_URL, FAREGATE_SECRET: SECRET, FAREGATE_MODE: "sandbox" };
  });
  after(async () => {
    forwarder.close();
    await gateway.close();
  });

  async function json(...parameters: string[]) {
    const { code, stdout, stderr } = await faregate(env, ...parameters, "--json");
    assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
    return JSON.parse(stdout);
  }

  test("the clock moves past an evening, the gateway captures on the way, and the batch adds up as over HTTP", async () => {
    const merchant = merchantOf(gateway);
    const account = await merchant.processor({ currency: "CAD" });
    const { now } = await json("clock");
    const day = new Date(Date.parse(now) + 86_400_000).toISOString().slice(0, 10);
    expectStatus(await gateway.operator("POST", "/operator/clock", { now: `${day}T12:00:00Z` }), 200);
    const { id } = await merchant.charged("auth", sale({ processor_id: account, amount: "7.50" }));
    const moved = await json("clock", "--to", `${day}T23:00:00Z`);
    assert.match(moved.now, new RegExp(`^${day}T23:00:0`));
    // Gateways follow a clock that somebody else moved a quarter of a second later.
    while ((await gateway.operator("GET", "/operator/clock")).body.now < moved.now) await sleep(20);
    const events: { event_type: string; created_at: string }[] = (await merchant.found(id)).events;
    assert.match(events.find((event) => event.event_type === "capture")?.created_at ?? "", /T20:30:0/);

    const listed = await json("batch", "list", "--processor", account);
    const [first] = listed.batches;
    assert.deepEqual(
      listed,
      expectStatus(await gateway.operator("GET", `/operator/batches?processor_id=${account}`), 200).body,
    );
    const shown = await json("batch", "show", first.id);
    assert.deepEqual(shown, expectStatus(await gateway.operator("GET", `/operator/batches/${first.id}`), 200).body);
    assert.equal(shown.batch.net, "7.50");
    assert.match((await faregate(env, "batch", "show", first.id)).stdout, /\ncapture +visa +1 +7\.50\n/);
    assert.match((await faregate(env, "audit")).stdout, /clock\.change +clock sandbox/);
  });

  test("a time that has passed, one that is none, live mode, and an unknown batch are refused in one line", async () => {
    const refusals = [
      [["clock", "--to", "2001-01-01T00:00:00Z"], 2, /^error: --to must not be before the clock's time, \S+\n$/],
      [["clock", "--to", "tomorrow"], 2, /It must be a time before 2200 with its offset from UTC/],
      [["batch", "show", "7"], 1, /^error: there is no batch 7, or its cut-off has not passed yet\n$/],
    ] as const;
    for (const [parameters, code, line] of refusals) {
      const ended = await faregate(env, ...parameters);
      assert.equal(ended.code, code);
      assert.match(ended.stderr, line);
    }
    const live = await faregate({ ...env, FAREGATE_MODE: "live" }, "clock");
    assert.deepEqual([live.code, live.stderr], [1, "error: in live mode there is no clock to show or move\n"]);
  });
});
