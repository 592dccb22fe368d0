import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Concealed } from "../../src/settings.ts";
import { faregate } from "../command-line.ts";
import { startTestGateway } from "./gateway.ts";

const FILE = `version: 1
partial: true
merchants:
  - external_key: northwind
    name: Northwind
    require_ip_address: false
    processors:
      - { external_key: cad, name: CAD, kind: simulator, currency: CAD, in_rotation: true, settlement: { cutoff_at: "21:00" } }
    webhooks:
      - { external_key: shop, url: https://shop.example.com/ }
    card_testing: { cards_per_range: 20 }
`;

describe("what differs from the state that was declared", () => {
  const folder = mkdtempSync(join(tmpdir(), "faregate-declared-"));
  let gateway: Awaited<ReturnType<typeof startTestGateway>>;
  const secret = Buffer.alloc(32, 7);
  before(async () => {
    gateway = await startTestGateway({ secret: new Concealed(secret) });
    writeFileSync(join(folder, "gateway.yaml"), FILE);
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await gateway.close();
  });

  const apply = (...more: string[]) => {
    const { host, port, user, password, database } = gateway.address;
    const DATABASE_URL = `postgres://${user}:${password}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`;
    const env = { DATABASE_URL, FAREGATE_MODE: "sandbox", FAREGATE_SECRET: secret.toString("base64") };
    return faregate(env, "apply", "-f", join(folder, "gateway.yaml"), ...more);
  };
  const drift = async () => (await gateway.operator("GET", "/operator/declared-state")).body.declared_state;

  test("nothing, before a file was applied and afterwards; then what was changed, when, and by whom", async () => {
    assert.deepEqual(await drift(), { applied: null, differences: [], differences_total: 0 });
    assert.equal((await apply()).code, 0);
    const { applied, differences } = await drift();
    assert.deepEqual([applied.file, differences], ["gateway.yaml", []]);
    assert.match(applied.actor, /^command line /);

    const { merchants } = (await gateway.operator("GET", "/operator/merchants")).body;
    const { id } = merchants.find(({ name }: { name: string }) => name === "Northwind");
    const [processor] = (await gateway.operator("GET", `/operator/merchants/${id}/processors`)).body.processors;
    const [webhook] = (await gateway.operator("GET", `/operator/merchants/${id}/webhooks`)).body.webhooks;
    // Named by the file, and not.
    await gateway.operator("PATCH", `/operator/merchants/${id}`, { refuse_card_like_identifiers: true });
    assert.equal((await drift()).differences_total, 0);
    await gateway.operator("PATCH", `/operator/processors/${processor.id}`, { settlement: { cutoff_at: "22:30" } });
    await gateway.operator("PATCH", `/operator/merchants/${id}/card-testing`, { cards_per_range: 30 });
    await gateway.operator("DELETE", `/operator/webhooks/${webhook.id}`);
    const extra = await gateway.operator("POST", `/operator/merchants/${id}/processors`, {
      name: "New",
      kind: "simulator",
      currency: "USD",
    });
    const found = await drift();
    const bare = found.differences.map(({ since, actor, merchant_id, ...one }: Record<string, unknown>) => {
      assert.ok(typeof since === "string" && Date.parse(since) >= Date.parse(applied.at), JSON.stringify(one));
      assert.deepEqual([actor, merchant_id], ["operator Sandbox", id]);
      return one;
    });
    const sorted = (list: { record: string; field: string | null; now: string | null }[]) =>
      list.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
    assert.deepEqual(
      sorted(bare),
      sorted([
        {
          record: "processor",
          id: processor.id,
          name: "CAD",
          field: "settlement.cutoff_at",
          declared: "21:00",
          now: "22:30",
        },
        { record: "merchant", id, name: "Northwind", field: "cards_per_range", declared: "20", now: "30" },
        {
          record: "webhook",
          id: webhook.id,
          name: "https://shop.example.com/",
          field: null,
          declared: "there",
          now: null,
        },
        { record: "processor", id: extra.body.processor.id, name: "New", field: null, declared: null, now: "there" },
      ] as never),
    );
    const plan = await apply("--plan");
    assert.equal(plan.code, 3);
    assert.equal((await apply("--prune")).code, 0);
    assert.equal((await drift()).differences_total, 0);
  });
});
