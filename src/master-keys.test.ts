import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { freshDatabase } from "../test/database.ts";
import { dataKeyStore } from "./journal/data-keys.ts";
import { addMasterKey, checkMasterKeys, masterKeysOf } from "./master-keys.ts";
import { readSettings, type Settings } from "./settings.ts";
import { dataKeys } from "./vault/data-keys.ts";

const folder = mkdtempSync(join(tmpdir(), "faregate-master-"));
after(() => rmSync(folder, { recursive: true }));

const key = () => randomBytes(32).toString("base64");
const [ONE, OTHER] = [key(), key()];

function settingsOf(env: Record<string, string>): Settings {
  const read = readSettings(env);
  assert.ok(read.ok, read.ok ? "" : read.problems.join("\n"));
  return read.settings;
}
const LIVE = { DATABASE_URL: "postgres://db.example/faregate", FAREGATE_SECRET: key() };
const idsOf = (env: Record<string, string>) => masterKeysOf(settingsOf(env))?.current().id;

test("live mode has the master key that is set, in the environment or in a file, and none without", () => {
  assert.equal(masterKeysOf(settingsOf(LIVE)), undefined);
  const id = idsOf({ ...LIVE, FAREGATE_MASTER_KEY: ONE });
  const file = join(folder, "one");
  writeFileSync(file, `${ONE}\n`, { mode: 0o600 });
  assert.equal(idsOf({ ...LIVE, FAREGATE_MASTER_KEY_FILE: file }), id);
  assert.notEqual(idsOf({ ...LIVE, FAREGATE_MASTER_KEY: OTHER }), id);
});

test("of several keys the first wraps, and all of them unwrap", async () => {
  const keys = masterKeysOf(settingsOf({ FAREGATE_MASTER_KEY: `${ONE},${OTHER}` }));
  const before = masterKeysOf(settingsOf({ FAREGATE_MASTER_KEY: OTHER }));
  assert.ok(keys && before);
  const wrapped = await before.current().wrap(Buffer.from("a data key"));
  assert.notEqual(keys.current().id, before.current().id);
  assert.deepEqual(await keys.find(before.current().id)?.unwrap(wrapped), Buffer.from("a data key"));
  assert.equal(before.find(keys.current().id), undefined);
});

for (const [what, value] of [
  ["16 bytes", randomBytes(16).toString("base64")],
  ["33 bytes", randomBytes(33).toString("base64")],
  ["hex", randomBytes(32).toString("hex")],
  ["an empty part", `${ONE},`],
] as const)
  test(`a master key of ${what} is refused, and not shown`, () => {
    const read = readSettings({ FAREGATE_MASTER_KEY: value });
    assert.ok(!read.ok);
    assert.match(read.problems.join(), /^FAREGATE_MASTER_KEY must be 32 bytes as base64/);
    assert.ok(!read.problems.join().includes(value));
  });

test("the sandbox makes a key for its owner only, and finds the same again", () => {
  const settings = settingsOf({ FAREGATE_DATA: folder });
  const made = masterKeysOf(settings)?.current().id;
  assert.ok(made);
  assert.equal(masterKeysOf(settings)?.current().id, made);
  assert.equal((statSync(join(folder, "master.key")).mode & 0o777).toString(8), "600");
});

test("a new key is put before those that the file has, and the file stays its owner's", () => {
  const file = join(folder, "several");
  writeFileSync(file, `${ONE}\n`, { mode: 0o600 });
  const settings = settingsOf({ FAREGATE_MASTER_KEY_FILE: file });
  const running = masterKeysOf(settings);
  const adding = addMasterKey(settings);
  assert.equal(masterKeysOf(settings)?.current().id, running?.current().id, "it wraps nothing yet");
  assert.deepEqual(running?.ids(), [running?.current().id, adding.id], "and a gateway that runs has read it");
  addMasterKey(settings).takeBack();
  adding.putFirst();
  const [added = "", kept, ...others] = readFileSync(file, "utf8").split("\n");
  assert.deepEqual([kept, others], [ONE, [""]]);
  assert.equal((statSync(file).mode & 0o777).toString(8), "600");
  const id = masterKeysOf(settings)?.current().id ?? "";
  assert.equal(id, idsOf({ FAREGATE_MASTER_KEY: added }));
  assert.ok(running?.find(id), "a gateway that runs finds it");
});

test("a file that is missing or damaged is told, without what is in it", () => {
  const file = join(folder, "damaged");
  assert.throws(() => masterKeysOf(settingsOf({ FAREGATE_MASTER_KEY_FILE: join(folder, "missing") })), {
    name: "StartFault",
  });
  for (const text of ["", "\n", `${ONE}\nshort\n`, ONE.slice(1)]) {
    writeFileSync(file, text, { mode: 0o600 });
    const settings = settingsOf({ FAREGATE_MASTER_KEY_FILE: file });
    for (const work of [() => masterKeysOf(settings), () => addMasterKey(settings)])
      assert.throws(work, (fault: Error) => /damaged/.test(fault.message) && !fault.message.includes(ONE.slice(1)));
  }
});

test("a start is refused where a record needs a key and none is set, and where the data keys are under another", async () => {
  const { pool, drop } = await freshDatabase();
  const KINDS = [{ name: "iso8583", cardNumberSetting: "card_number_in_follow_ups", secretSettings: ["tls_key"] }];
  const store = dataKeyStore(pool, () => new Date());
  const check = (text: string | undefined) =>
    checkMasterKeys(pool, text ? masterKeysOf(settingsOf({ FAREGATE_MASTER_KEY: text })) : undefined, store, KINDS);
  await check(undefined);
  await pool`
    insert into processors (merchant_id, id, name, kind, currency, enabled, in_rotation, requires, settlement, settings,
      created_at, updated_at)
    select gen_random_uuid(), gen_random_uuid(), 'Keeps', 'iso8583', 'USD', true, true, '{}', '{}',
      '{"card_number_in_follow_ups": true}', now(), now()`;
  await assert.rejects(check(undefined), { name: "StartFault", message: /needs a master key/ });
  await check(ONE);
  const keys = masterKeysOf(settingsOf({ FAREGATE_MASTER_KEY: ONE }));
  assert.ok(keys);
  await dataKeys(store, keys).toSeal();
  await assert.rejects(check(OTHER), { name: "StartFault", message: /another master key/ });
  await check(`${OTHER},${ONE}`);
  await pool`update processors set enabled = false`;
  await check(undefined);
  await pool`
    insert into cards select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), now(), now(), '4111', '4111', 'visa', '12', '2039',
      'f', 1, '', '{}'`;
  await assert.rejects(check(undefined), { name: "StartFault", message: /cards on file, and that needs a master key/ });
  await pool`delete from cards`;
  const secret = { name: "StartFault", message: /has secrets among its settings, and that needs a master key/ };
  await pool`update processors set settings = '{"tls_key": "as it is"}'`;
  await assert.rejects(check(undefined), secret, "one that is not sealed, also of a record that is not enabled");
  await pool`update processors set settings = '{}', sealed_settings = '{"tls_key": {"key": 1, "sealed": ""}}'`;
  await check(undefined);
  await pool`update processors set enabled = true`;
  await assert.rejects(check(undefined), secret);
  await drop();
});

test("a master key file that anybody may read is refused, also behind a link", () => {
  const [file, link] = [join(folder, "open"), join(folder, "link")];
  writeFileSync(file, `${ONE}\n`, { mode: 0o600 });
  symlinkSync(file, link);
  assert.ok(idsOf({ ...LIVE, FAREGATE_MASTER_KEY_FILE: link }));
  chmodSync(file, 0o644);
  assert.throws(() => idsOf({ ...LIVE, FAREGATE_MASTER_KEY_FILE: link }), {
    name: "StartFault",
    message: /chmod 600 .*link/,
  });
});
