// Lists whose rows are big, over HTTP: pages are written while they are read, CSV leaves out what it does not show, and
// whoever reads nothing takes no more than a share.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { linesOfCsv } from "./csv.fixture.ts";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, newMerchant, type OwnMerchant, sale } from "./merchant.fixture.ts";

const TRANSACTIONS = 30;
const META_BYTES = 1_000_000;
const PATH = "/api/transactions";

describe("lists of transactions with a megabyte each", () => {
  let gateway: Gateway;
  let merchant: OwnMerchant;
  let other: OwnMerchant;
  before(async () => {
    gateway = await startTestGateway();
    merchant = await newMerchant(gateway, {});
    other = await newMerchant(gateway, {});
    for (let count = 0; count < TRANSACTIONS; count++)
      expectStatus(await gateway.post(`${PATH}/sale`, sale(), { token: merchant.token }), 200);
    expectStatus(await gateway.post(`${PATH}/sale`, sale(), { token: other.token }), 200);
    // Half of them cannot be compressed: the database keeps those in another way. Their size is looked up, as of what is older than the column.
    const details = (text: string) => `json_build_object('meta', json_build_object('note', ${text})::text)`;
    await gateway.pool.unsafe(
      `update transactions set bytes = null, details = case when number % 2 = 0 then ${details(`repeat('x', ${META_BYTES})`)}
        else ${details(`(select string_agg(md5(i::text), '') from generate_series(1, ${META_BYTES / 32}) i)`)} end
      where merchant_id = '${merchant.merchantId}'`,
    );
  });
  after(() => gateway.close());

  const get = (query = "", { token } = merchant) => gateway.get(`${PATH}?${query}`, { token });

  test("a page is whole, and shows each as it is shown alone", async () => {
    const { headers, text, body } = expectStatus(await get(), 200);
    assert.deepEqual(
      [headers.get("content-length"), headers.get("content-type")],
      [null, "application/json; charset=utf-8"],
    );
    assert.ok(text.length > TRANSACTIONS * META_BYTES);
    assert.deepEqual(body.meta, { last_page: 1, current_page: 1, total: TRANSACTIONS });
    assert.equal(JSON.stringify(body), text);
    for (const index of [0, 1, TRANSACTIONS - 1]) {
      const listed = body.transactions[index];
      const { token } = merchant;
      assert.deepEqual((await gateway.get(`${PATH}/${listed.id}`, { token })).body.transaction, listed);
    }
  });

  test("a page of ordinary size tells its length", async () => {
    const { headers, text } = expectStatus(await get("", other), 200);
    assert.equal(headers.get("content-length"), String(Buffer.byteLength(text)));
  });

  test("as CSV they are lines like any others", async () => {
    const { text } = expectStatus(await get("format=csv"), 200);
    assert.equal(linesOfCsv(text).length, TRANSACTIONS + 1);
    assert.ok(text.length < 20_000);
  });

  test("HEAD has the answer's status and headers, and nothing is read for it", async () => {
    const { token } = merchant;
    const statements = async () => {
      const [row] = await gateway.pool<{ last: Date | null }[]>`
        select max(query_start) as last from pg_stat_activity where application_name = 'faregate slow reads'
        and datname = current_database()`;
      return row?.last?.getTime();
    };
    const before = await statements();
    for (const [query, status, type] of [
      ["", 200, "application/json; charset=utf-8"],
      ["format=csv", 200, "text/csv; charset=utf-8"],
      ["format=csv&search[city]=Oslo", 200, "text/csv; charset=utf-8"],
      ["format=csv&search[city]=Oslo&colour=red", 422, "application/json; charset=utf-8"],
      ["search[town]=x", 422, "application/json; charset=utf-8"],
    ] as const) {
      const { headers, text, ...answer } = await gateway.call("HEAD", `${PATH}?${query}`, { token });
      assert.deepEqual([answer.status, headers.get("content-type"), text], [status, type, ""], query);
      assert.equal(headers.get("faregate-ignored-fields"), null);
      if (status === 200) assert.equal(headers.get("content-length"), null);
    }
    await sleep(200);
    assert.equal(await statements(), before);
  });

  test("pages that nobody reads hold little memory, and nobody else's places", async () => {
    const held = () => {
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const before = held();
    const sockets: Socket[] = [];
    for (let count = 0; count < 8; count++) sockets.push(await unread(merchant));
    const statuses = await Promise.all(sockets.map(statusOf));
    assert.deepEqual(statuses.sort(), [200, 200, 200, 200, 429, 429, 429, 429]);
    assert.ok(held() - before < 120_000_000, `${Math.round((held() - before) / 1e6)} MB`);
    expectStatus(await get("", other), 200);
    expectStatus(await get("format=csv", other), 200);
    expectStatus(await get("page=2"), 200);
    for (const socket of sockets) socket.destroy();
    assert.equal(expectStatus(await get(), 200).body.transactions.length, TRANSACTIONS);
  });

  async function unread({ token }: OwnMerchant): Promise<Socket> {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    socket.write(`GET ${PATH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`);
    return socket;
  }

  /** Reads nothing after it. */
  async function statusOf(socket: Socket): Promise<number> {
    await once(socket, "readable");
    return Number(String(socket.read("HTTP/1.1 200".length)).slice(-3));
  }
});
