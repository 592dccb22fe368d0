import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import Type from "typebox";
import { type FreshDatabase, freshDatabase } from "../../test/database.ts";
import { fixedClock } from "../../test/hand-clock.ts";
import { keysInMemory } from "../../test/setting-secrets.ts";
import { ORDINARY_TERMS } from "../payment/account-terms.ts";
import { NO_RULES } from "../payment/routing-rules.ts";
import type { KindDescription } from "../processors/kind.ts";
import { auditLog } from "./audit-log.ts";
import type { Backoffice } from "./backoffice.ts";
import type { Kinds } from "./kind-settings.ts";
import { createMerchant } from "./merchants.ts";
import { findProcessorRecord, processorLookup } from "./processor-lookup.ts";
import { changeProcessor, createProcessor, findProcessor, listProcessors } from "./processors.ts";
import { changeRouting } from "./routing.ts";

const AUTHOR = { actor: "operator Jane", source: "::1" };
const NOBODY = "0193e5b0-7c1a-7a3e-9d54-5b2f0c8e1a77";
const LATER = fixedClock("2026-02-17T00:00:00Z");
const { secrets } = keysInMemory();

const HOST = {
  name: "host",
  settingsSchema: Type.Object(
    { host: Type.String(), port: Type.Optional(Type.Integer()), mac_key: Type.String({ minLength: 4 }) },
    { additionalProperties: false },
  ),
  secretSettings: ["mac_key"],
  takesCurrency: () => true,
};
const SIMULATOR = {
  name: "simulator",
  settingsSchema: Type.Object({ latency_ms: Type.Optional(Type.Integer()) }, { additionalProperties: false }),
  secretSettings: [],
  takesCurrency: () => true,
};
const kinds: Kinds = new Map<string, KindDescription>([
  ["simulator", SIMULATOR],
  ["host", HOST],
]);

describe("processor records", () => {
  let database: FreshDatabase;
  let office: Backoffice;
  let merchantId: string;
  before(async () => {
    database = await freshDatabase();
    office = {
      sql: database.pool,
      clock: fixedClock("2026-02-16T16:33:40Z"),
      mode: "sandbox",
      kinds,
      secrets,
      auditKey: async () => Buffer.alloc(32),
    };
    const merchant = await createMerchant(office, AUTHOR, { name: "Northwind" });
    assert(merchant.kind === "done");
    merchantId = merchant.value.id;
  });
  after(() => database.drop());

  async function processor(input: object) {
    const created = await createProcessor(office, AUTHOR, merchantId, { name: "Acquirer", ...input });
    assert(created.kind === "done", JSON.stringify(created));
    return created.value;
  }
  const host = () =>
    processor({ kind: "host", currency: "USD", settings: { host: "a.example", port: 7, mac_key: "old-secret" } });

  test("what is left out gets its default, and CAD its own schedule", async () => {
    const created = await processor({ kind: "simulator", currency: "CAD", settlement: { cutoff_at: "21:00" } });
    assert.deepEqual(created, {
      id: created.id,
      merchant_id: merchantId,
      name: "Acquirer",
      kind: "simulator",
      currency: "CAD",
      enabled: true,
      in_rotation: false,
      requires: { cvv: [], names: false, document: false },
      settlement: { auto_capture_at: "20:30", cutoff_at: "21:00", settled_at: "02:00", visible_at: "02:20" },
      settings: {},
      created_at: "2026-02-16T16:33:40+00:00",
      updated_at: "2026-02-16T16:33:40+00:00",
    });
    assert.deepEqual(await findProcessor(office, created.id), created);
    const [entry] = await auditLog(office.sql, { subject: created.id });
    assert.deepEqual([entry?.action, entry?.before, entry?.after], ["processor.create", null, created]);
    assert.equal((await processor({ kind: "simulator", currency: "USD" })).settlement.auto_capture_at, null);
  });

  test("a change touches what it names, also inside, and nothing else", async () => {
    const before = await processor({
      kind: "simulator",
      currency: "CAD",
      requires: { cvv: ["visa"] },
      settings: { latency_ms: 5 },
    });
    const steps = [
      [
        { in_rotation: true, name: "Second" },
        { in_rotation: true, name: "Second" },
      ],
      [{ enabled: false }, { enabled: false }],
      [{ requires: { names: true } }, { requires: { cvv: ["visa"], names: true, document: false } }],
      [{ requires: { cvv: [] } }, { requires: { cvv: [], names: true, document: false } }],
      [{ settlement: { auto_capture_at: null } }, { settlement: { ...before.settlement, auto_capture_at: null } }],
      [
        { settlement: { visible_at: "03:00" } },
        { settlement: { ...before.settlement, auto_capture_at: null, visible_at: "03:00" } },
      ],
      [{ settings: { latency_ms: 6 } }, { settings: { latency_ms: 6 } }],
      [{ settings: { latency_ms: null } }, { settings: {} }],
    ] as const;
    let expected = { ...before, updated_at: "2026-02-17T00:00:00+00:00" };
    for (const [change, effect] of steps) {
      const entryBefore = await findProcessor(office, before.id);
      expected = { ...expected, ...effect } as typeof expected;
      const changed = await changeProcessor({ ...office, clock: LATER }, AUTHOR, before.id, change);
      assert.deepEqual(changed, { kind: "done", value: expected }, JSON.stringify(change));
      assert.deepEqual(await findProcessor(office, before.id), expected);
      const [entry] = await auditLog(office.sql, { subject: before.id });
      assert.deepEqual([entry?.action, entry?.before, entry?.after], ["processor.change", entryBefore, expected]);
    }
  });

  test("authorizations are captured at the record's time of day from its beginning, and anew from a change of that time", async () => {
    const { id } = await processor({ kind: "simulator", currency: "USD", settlement: { auto_capture_at: "20:30" } });
    const change = async (input: object) => {
      const changed = await changeProcessor({ ...office, clock: LATER }, AUTHOR, id, input);
      assert.equal(changed.kind, "done");
    };
    const due = async () =>
      (await database.pool<{ due_at: Date }[]>`select due_at from auto_captures where processor_id = ${id}`).map(
        ({ due_at }) => due_at.toISOString(),
      );
    assert.deepEqual(await due(), ["2026-02-16T20:30:00.000Z"]);
    await change({ name: "Another name" });
    assert.deepEqual(await due(), ["2026-02-16T20:30:00.000Z"], "what is due is not put off by another change");
    await change({ settlement: { auto_capture_at: "23:00" } });
    assert.deepEqual(await due(), ["2026-02-17T23:00:00.000Z"]);
    await change({ settlement: { auto_capture_at: null } });
    assert.deepEqual(await due(), []);
    await change({ settlement: { auto_capture_at: "01:00" } });
    assert.deepEqual(await due(), ["2026-02-17T01:00:00.000Z"]);
  });

  test("a change that changes nothing is not noted", async () => {
    const before = await processor({ kind: "simulator", currency: "CAD" });
    for (const change of [{}, { name: "Acquirer", settings: {} }, { kind: "simulator", currency: "CAD", colour: 7 }]) {
      const changed = await changeProcessor({ ...office, clock: LATER }, AUTHOR, before.id, change);
      assert.deepEqual(changed, { kind: "done", value: before });
    }
    assert.equal((await auditLog(office.sql, { subject: before.id })).length, 1);
  });

  test("currency, kind and merchant of a record cannot change", async () => {
    const { id } = await processor({ kind: "simulator", currency: "CAD" });
    const change = { name: "Other", kind: "host", currency: "USD", merchant_id: NOBODY };
    assert.deepEqual(await changeProcessor(office, AUTHOR, id, change), {
      kind: "invalid",
      problems: {
        kind: ["cannot change (it is simulator): create another processor"],
        currency: ["cannot change (it is CAD): create another processor"],
        merchant_id: [`cannot change (it is ${merchantId}): create another processor`],
      },
    });
    assert.equal((await findProcessor(office, id))?.name, "Acquirer");
  });

  test("what was typed beside the dots is refused: it would be the secret", async () => {
    const { id } = await host();
    const changed = await changeProcessor(office, AUTHOR, id, { settings: { mac_key: "•••new-secret" } });
    const problem =
      "holds ••• besides what was typed: give all of the secret, or ••• alone to keep the one that is there";
    assert.deepEqual(changed, { kind: "invalid", problems: { "settings.mac_key": [problem] } });
  });

  test("a secret setting is taken and never shown, in no answer and no line of the audit log", async () => {
    const before = await host();
    assert.deepEqual(before.settings, { host: "a.example", port: 7, mac_key: "•••" });
    const changed = await changeProcessor(office, AUTHOR, before.id, { settings: { mac_key: "new-secret" } });
    assert.deepEqual(changed, { kind: "done", value: before });
    assert.deepEqual(await listSettings(before.id), [before.settings]);
    const entries = await auditLog(office.sql, { subject: before.id });
    assert.doesNotMatch(JSON.stringify(entries), /secret"/);
    assert.deepEqual(entries[0]?.after, { ...before, settings: { ...before.settings, mac_key: "••• (another one)" } });
    const [stored] =
      await office.sql`select settings, sealed_settings::text as sealed from processors where id = ${before.id}`;
    assert.deepEqual(stored?.settings, { host: "a.example", port: 7 });
    assert.doesNotMatch(String(stored?.sealed), /secret/);
    const record = await findProcessorRecord(office.sql, before.id, secrets);
    assert.deepEqual(record?.settings, { host: "a.example", port: 7, mac_key: "new-secret" });
  });

  test("the same secret again changes nothing, and is not noted", async () => {
    const before = await host();
    const same = { settings: { mac_key: "old-secret" } };
    const changed = await changeProcessor({ ...office, clock: LATER }, AUTHOR, before.id, same);
    assert.deepEqual(changed, { kind: "done", value: before });
    assert.equal((await auditLog(office.sql, { subject: before.id })).length, 1);
  });

  test("without a master key a secret is neither taken nor changed, and all else is", async () => {
    const { id, settings } = await host();
    const without = { ...office, secrets: undefined };
    const problem = /^is a secret, which is sealed under the gateways' master key, and there is none here: set/;
    const given = {
      name: "Acquirer",
      kind: "host",
      currency: "USD",
      settings: { host: "b.example", mac_key: "new-secret" },
    };
    for (const result of [
      await createProcessor(without, AUTHOR, merchantId, given),
      await changeProcessor(without, AUTHOR, id, { settings: { mac_key: "new-secret" } }),
    ]) {
      assert(result.kind === "invalid");
      assert.deepEqual(Object.keys(result.problems), ["settings.mac_key"]);
      assert.match(result.problems["settings.mac_key"]?.[0] ?? "", problem);
    }
    const change = { enabled: false, settings: { ...settings, port: 9 } };
    assert.equal((await changeProcessor(without, AUTHOR, id, change)).kind, "done");
    const record = await findProcessorRecord(office.sql, id, secrets);
    assert.deepEqual(record?.settings, { host: "a.example", port: 9, mac_key: "old-secret" });
  });

  test("of a kind that is not there any more every setting shows as dots, since any may be a secret", async () => {
    const { id } = await host();
    const shown = await findProcessor({ sql: office.sql, kinds: new Map() }, id);
    assert.deepEqual(shown?.settings, { host: "•••", port: "•••", mac_key: "•••" });
  });

  test("what cannot be opened is named to whoever asks the processor, and the rest of the record is there", async () => {
    const { id } = await host();
    const record = await findProcessorRecord(office.sql, id, undefined);
    assert.deepEqual([record?.settings, record?.unopened], [{ host: "a.example", port: 7 }, ["mac_key"]]);
  });

  test("a secret is opened under whatever letters the record's id was given in", async () => {
    const id = "7A1D7A52-0C3E-4B8A-9F64-2D5B7C8E9B07";
    const settings = { host: "a.example", mac_key: "old-secret" };
    const created = await processor({ id, kind: "host", currency: "USD", settings });
    assert.equal(created.id, id.toLowerCase());
    const record = await findProcessorRecord(office.sql, id, secrets);
    assert.deepEqual([record?.settings, record?.unopened], [settings, undefined]);
  });

  test("a record sent back as it was shown keeps its secret", async () => {
    const { id, settings } = await host();
    assert.equal((await changeProcessor(office, AUTHOR, id, { settings: { ...settings, port: 8 } })).kind, "done");
    const record = await findProcessorRecord(office.sql, id, secrets);
    assert.deepEqual(record?.settings, { host: "a.example", port: 8, mac_key: "old-secret" });
  });

  test("the record as it would be after a change is what is checked", async () => {
    const { id } = await host();
    const rows = [
      [{ settings: { mac_key: null } }, { "settings.mac_key": ["is required"] }],
      [{ settings: { mac_key: "abc" } }, { "settings.mac_key": ["must be a text of 4 characters or more"] }],
      [{ settings: { prot: 8 } }, { "settings.prot": ["is unknown; use one of host, port, mac_key"] }],
      [{ settings: { host: "a\0b" } }, { "settings.host": ["must be a text without control or invisible characters"] }],
      [{ settings: "host" }, { settings: ["must be an object"] }],
      [{ name: "" }, { name: ["must be a text of 1 to 255 characters, without control or invisible characters"] }],
    ] as const;
    for (const [change, problems] of rows)
      assert.deepEqual(await changeProcessor(office, AUTHOR, id, change), { kind: "invalid", problems });
  });

  test("two changes at once both hold", async () => {
    const { id } = await processor({ kind: "simulator", currency: "CAD" });
    const changes = [{ in_rotation: true }, { settings: { latency_ms: 9 } }, { requires: { names: true } }];
    await Promise.all(changes.map((change) => changeProcessor(office, AUTHOR, id, change)));
    const found = await findProcessor(office, id);
    assert.deepEqual([found?.in_rotation, found?.settings, found?.requires.names], [true, { latency_ms: 9 }, true]);
  });

  test("a list has a merchant's own records, page by page", async () => {
    const [one, other] = await Promise.all(
      ["Eastwind", "Westwind"].map(async (name) => {
        const merchant = await createMerchant(office, AUTHOR, { name });
        assert(merchant.kind === "done");
        const ids: string[] = [];
        for (const currency of ["USD", "CAD", "EUR"]) {
          const input = { name: currency, kind: "simulator", currency };
          const created = await createProcessor(office, AUTHOR, merchant.value.id, input);
          assert(created.kind === "done");
          ids.push(created.value.id);
        }
        return { id: merchant.value.id, ids: ids.sort() };
      }),
    );
    assert(one && other);
    const listed = async (merchant: string, page = {}) =>
      (await listProcessors(office, merchant, page))?.map(({ id }) => id);
    assert.deepEqual([await listed(one.id), await listed(other.id)], [one.ids, other.ids]);
    assert.deepEqual(await listed(one.id, { limit: 2 }), one.ids.slice(0, 2));
    assert.deepEqual(await listed(one.id, { after: one.ids[1], limit: 2 }), one.ids.slice(2));
  });

  test("what does not exist is unknown", async () => {
    for (const id of [NOBODY, "7"]) {
      assert.deepEqual(await changeProcessor(office, AUTHOR, id, {}), { kind: "unknown", what: "processor", id });
      assert.deepEqual(await createProcessor(office, AUTHOR, id, {}), { kind: "unknown", what: "merchant", id });
      assert.equal(await findProcessor(office, id), undefined);
      assert.equal(await listProcessors(office, id), undefined);
    }
  });

  test("the hot path sees a change within a second, and at once where it was made", async () => {
    const merchant = await createMerchant(office, AUTHOR, { name: "Southwind" });
    assert(merchant.kind === "done");
    const input = {
      name: "Acquirer",
      kind: "host",
      currency: "USD",
      settings: { host: "a.example", mac_key: "secret" },
    };
    const created = await createProcessor(office, AUTHOR, merchant.value.id, input);
    assert(created.kind === "done");
    const [here, elsewhere] = [processorLookup(office.sql, secrets), processorLookup(office.sql, secrets)];
    const first = await here.processorsOf(merchant.value.id);
    assert.deepEqual(first, [
      {
        id: created.value.id,
        merchantId: merchant.value.id,
        name: "Acquirer",
        kind: "host",
        currency: "USD",
        enabled: true,
        inRotation: false,
        requires: { cvv: [], names: false, document: false },
        terms: ORDINARY_TERMS,
        schedule: { auto_capture_at: null, cutoff_at: "22:00", settled_at: "02:00", visible_at: "02:20" },
        settings: { host: "a.example", mac_key: "secret" },
      },
    ]);
    await elsewhere.processorsOf(merchant.value.id);
    assert.equal(await here.processorsOf(merchant.value.id), first);
    assert.deepEqual(await here.routingOf(merchant.value.id), NO_RULES);
    await changeProcessor(office, AUTHOR, created.value.id, { enabled: false });
    const rules = [{ name: "All", processors: [{ id: created.value.id }] }];
    assert.equal((await changeRouting(office, AUTHOR, merchant.value.id, { rules })).kind, "done");
    here.forget(merchant.value.id);
    assert.equal((await here.processorsOf(merchant.value.id))[0]?.enabled, false);
    const routing = {
      version: 1,
      rules: [{ name: "All", when: {}, processors: [{ item: created.value.id, weight: 1 }] }],
      attemptsAtMost: 1,
    };
    assert.deepEqual(await here.routingOf(merchant.value.id), routing);
    await sleep(990);
    assert.equal((await elsewhere.processorsOf(merchant.value.id))[0]?.enabled, false);
    assert.deepEqual(await elsewhere.routingOf(merchant.value.id), routing);
    assert.deepEqual([await here.processorsOf(NOBODY), await here.routingOf(NOBODY)], [[], NO_RULES]);
  });

  test("records and rules come with one statement, and not again for a while", async () => {
    let asked = 0;
    const sql = new Proxy(office.sql, {
      apply: (target, self, given) => {
        asked++;
        return Reflect.apply(target, self, given);
      },
    });
    const lookup = processorLookup(sql, secrets);
    for (let charges = 0; charges < 10; charges++) {
      await lookup.processorsOf(merchantId);
      await lookup.routingOf(merchantId);
    }
    assert.equal(asked, 1);
  });

  async function listSettings(id: string) {
    const all = await listProcessors(office, merchantId);
    return all?.filter((one) => one.id === id).map(({ settings }) => settings);
  }
});
