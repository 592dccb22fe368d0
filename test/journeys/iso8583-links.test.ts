// Connections to ISO 8583 hosts as a merchant feels them: a host that closes after each answer sells, and one that never answers the sign-on
// leaves no doubt.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { testSettings } from "../conformance/iso8583-subject.ts";
import { answerTo, type Script, type ScriptedHost, scriptedHost } from "../fixtures/scripted-host.ts";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, merchantOf, sale, transactionOf } from "./merchant.fixture.ts";

describe("connections to an ISO 8583 host", () => {
  let gateway: Gateway;
  const hosts: ScriptedHost[] = [];
  before(async () => {
    gateway = await startTestGateway();
  });
  after(async () => {
    await gateway.close();
    for (const host of hosts) await host.stop();
  });

  async function recordAt(script: Script, timeout_ms: number): Promise<string> {
    const host = await scriptedHost(script);
    hosts.push(host);
    const settings = testSettings(host.peer.port, { framing: "binary-2", digits: "bcd", bitmap: "binary" });
    return merchantOf(gateway).processor({ kind: "iso8583", settings: { ...settings, timeout_ms } });
  }
  const charge = (processor_id: string) =>
    gateway.post("/api/transactions/sale", sale({ processor_id, amount: "10.00" }));

  test("where the sign-on is not answered within a short timeout_ms, the charge was not sent, and is told so", async () => {
    for (const timeoutMs of [400, 1_000, 2_000]) {
      const processor_id = await recordAt({ signOn: null }, timeoutMs);
      const { body } = expectStatus(await charge(processor_id), 503);
      const { id } = body.transaction ?? body;
      const { unresolved } = (await gateway.operator("GET", `/operator/unresolved?processor_id=${processor_id}`)).body;
      assert.deepEqual(unresolved, [], `nothing of ${id} is left to reverse`);
      assert.ok(hosts.at(-1)?.heard.every(({ mti }) => mti === "0800"));
    }
  });

  test("a host that closes after each answer takes every sale, one after the other and several at once", async () => {
    const asked: Script["asked"] = (question, caller) => {
      caller.send(answerTo(question));
      caller.hangUp();
    };
    const processor_id = await recordAt({ asked }, 5_000);
    for (let sales = 0; sales < 12; sales++) {
      const { events } = transactionOf(expectStatus(await charge(processor_id), 200));
      assert.equal(events[0].success, true, `sale ${sales + 1}`);
    }
    const answers = await Promise.all(Array.from({ length: 12 }, () => charge(processor_id)));
    assert.deepEqual(
      answers.map((answer) => transactionOf(expectStatus(answer, 200)).events[0].success),
      Array(12).fill(true),
    );
  });
});
