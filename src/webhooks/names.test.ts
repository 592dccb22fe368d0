// Names asked of a name server of the test's own, which is silent, slow, wrong or lying.

import assert from "node:assert/strict";
import { lookup } from "node:dns/promises";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type NameServer, startNameServer, type Told } from "../../test/name-server.ts";
import { NameFault, openNames } from "./names.ts";

const V4 = [{ address: "93.184.215.14", family: 4 }];
const V6 = [{ address: "2600:1406::17", family: 6 }];
const SIX = "2600:1406:0:0:0:0:0:17";
const SILENT = "the name servers of its name did not answer";

describe("looking up names", () => {
  let server: NameServer;
  let tell: Parameters<typeof startNameServer>[0] = () => ({ code: 3 });
  before(async () => {
    server = await startNameServer((...question) => tell(...question));
  });
  after(() => server.close());
  const open = (deadlineMs = 5_000) => openNames({ servers: [server.address], hostsFile: "/dev/null", deadlineMs });
  const only = (given: Told) => {
    tell = (type) => (type === "A" ? given : {});
  };
  const fault = (name = "shop.test", names = open()) =>
    names.find(name).then(
      (found) => found,
      (thrown: unknown) => (thrown instanceof NameFault ? thrown.message : thrown),
    );

  test("addresses of both families are found, IPv4 first", async () => {
    tell = (type) => ({ records: [type === "A" ? ["A", "93.184.215.14"] : ["AAAA", SIX]] });
    assert.deepEqual(await open().find("shop.test"), [...V4, ...V6]);
  });

  test("one family is enough, whether the other has none, fails or is silent", async () => {
    for (const other of [{}, { code: 3 }, { code: 2 }, undefined]) {
      tell = (type) => (type === "A" ? { records: [["A", "93.184.215.14"]] } : other);
      assert.deepEqual(await open().find("shop.test"), V4);
      tell = (type) => (type === "A" ? other : { records: [["AAAA", SIX]] });
      assert.deepEqual(await open().find("shop.test"), V6);
    }
  });

  test("a name server that is silent is waited for until the deadline and no longer", async () => {
    tell = () => undefined;
    const started = performance.now();
    assert.equal(await fault("shop.test", open(600)), SILENT);
    const tookMs = performance.now() - started;
    assert.ok(tookMs >= 590 && tookMs < 4_000, String(tookMs));
  });

  test("one that answers late is still heard before the deadline, and not after", async () => {
    tell = () => ({ records: [["A", "93.184.215.14"]], afterMs: 700 });
    assert.equal(await fault("shop.test", open(300)), SILENT);
    only({ records: [["A", "93.184.215.14"]], afterMs: 300 });
    assert.deepEqual(await open().find("shop.test"), V4);
  });

  test("a question that got lost is asked again", async () => {
    let first = true;
    tell = (type) => {
      if (type === "AAAA") return {};
      if (first) {
        first = false;
        return undefined;
      }
      return { records: [["A", "93.184.215.14"]] };
    };
    assert.deepEqual(await open().find("shop.test"), V4);
  });

  test("what is wrong is said: no such name, no address, a server that fails or refuses", async () => {
    tell = () => ({ code: 3 });
    assert.equal(await fault(), "ENOTFOUND");
    tell = () => ({});
    assert.equal(await fault(), "ENOTFOUND");
    tell = () => ({ code: 2 });
    assert.equal(await fault(), "its name could not be looked up: ESERVFAIL");
    tell = () => ({ code: 5 });
    assert.equal(await fault(), "its name could not be looked up: EREFUSED");
    tell = (type) => ({ code: type === "A" ? 3 : 2 });
    assert.equal(await fault(), "its name could not be looked up: ESERVFAIL");
  });

  test("names that lead on are followed within an answer, and in a circle they lead nowhere", async () => {
    only({
      records: [
        ["CNAME", "host.test"],
        ["A", "93.184.215.14"],
      ],
    });
    assert.deepEqual(await open().find("shop.test"), V4);
    only({
      records: [
        ["CNAME", "other.test"],
        ["CNAME", "shop.test"],
        ["CNAME", "other.test"],
      ],
    });
    assert.equal(await fault(), "ENOTFOUND");
  });

  test("an answer that does not fit is fetched over TCP", async () => {
    only({ records: [["A", "93.184.215.14"]], truncated: true });
    assert.deepEqual(await open().find("shop.test"), V4);
  });

  test("of a thousand addresses a few are taken", async () => {
    const records = Array.from({ length: 1_000 }, (_, n) => ["A", `93.184.${n >> 8}.${n & 255}`] as const);
    only({ records, truncated: true });
    assert.equal((await open().find("shop.test")).length, 4);
  });

  test("many who ask at once for a name share one look-up, and what was found is kept as long as its server says", async () => {
    only({ records: [["A", "93.184.215.14"]], ttl: 1 });
    const names = open();
    server.asked.length = 0;
    await Promise.all(Array.from({ length: 100 }, () => names.find("shop.test")));
    assert.deepEqual(server.asked.toSorted(), ["A shop.test", "AAAA shop.test"]);
    await names.find("shop.test");
    assert.equal(server.asked.length, 2);
    await sleep(1_100);
    await names.find("shop.test");
    assert.equal(server.asked.length, 4);
    only({ records: [["A", "93.184.215.14"]], ttl: 0 });
    for (let n = 0; n < 2; n++) await names.find("fleeting.test");
    assert.equal(server.asked.length, 8, "with no time to live it is not kept");
  });

  test("only so many names are kept", async () => {
    only({ records: [["A", "93.184.215.14"]], ttl: 3_600 });
    const names = open();
    for (let n = 0; n < 1_010; n += 10)
      await Promise.all(Array.from({ length: 10 }, (_, m) => names.find(`s${n + m}.test`)));
    server.asked.length = 0;
    await names.find("s1009.test");
    assert.equal(server.asked.length, 0);
    await names.find("s0.test");
    assert.equal(server.asked.length, 2);
  });

  test("localhost and what the list of hosts says are asked of nobody", async () => {
    const folder = await mkdtemp(join(tmpdir(), "faregate-hosts-"));
    const hostsFile = join(folder, "hosts");
    await writeFile(
      hostsFile,
      "# 10.0.0.1 shop\n10.0.0.2\tSHOP shop.internal # the shop\nfd00::2 shop\n10.0.0.3 shops\nshop 10.0.0.4\n",
    );
    const names = openNames({ servers: [server.address], hostsFile });
    server.asked.length = 0;
    const loopback = [
      { address: "127.0.0.1", family: 4 },
      { address: "::1", family: 6 },
    ];
    for (const name of ["localhost", "LOCALHOST", "localhost.", "shop.localhost"])
      assert.deepEqual(await names.find(name), loopback, name);
    const shop = [
      { address: "10.0.0.2", family: 4 },
      { address: "fd00::2", family: 6 },
    ];
    assert.deepEqual(await names.find("shop"), shop);
    assert.deepEqual(await names.find("shop.internal."), shop.slice(0, 1));
    assert.deepEqual(server.asked, []);
    await rm(folder, { recursive: true });
  });

  test("a hundred names whose servers are silent keep neither the system's look-ups nor files waiting", async () => {
    tell = () => undefined;
    const names = open(1_500);
    const hanging = Array.from({ length: 100 }, (_, n) => fault(`s${n}.test`, names));
    await sleep(100);
    const tookMs = await timeOf(async () => {
      for (let n = 0; n < 20; n++) await Promise.all([stat("/etc/hosts"), lookup("localhost")]);
    });
    assert.ok(tookMs < 2_000, `${tookMs} ms`);
    assert.deepEqual(new Set(await Promise.all(hanging)), new Set([SILENT]));
  });
});

async function timeOf(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
