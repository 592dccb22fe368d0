// Response codes of an ISO 8583 host, from the wire to the merchant: a code that nobody has listed is a decline, and the processor is as
// healthy as before; an approval of a part of the amount is none.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Message } from "../../src/processors/iso8583/codec/message.ts";
import { testSettings } from "../conformance/iso8583-subject.ts";
import { answerTo, type Caller, type ScriptedHost, scriptedHost } from "../fixtures/scripted-host.ts";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, merchantOf, sale, transactionOf } from "./merchant.fixture.ts";

const DECLINES = (
  "1A R0 R1 R3 N0 N3 N4 P2 Q1 Z3 6P 17 35 42 60 71 76 77 79 80 81 83 84 86 88 89 90 95 97 98 99 " +
  "18 23 24 26 27 29 37 44 45 47 48 49 50 56 66 67 69 72 73 74 5C 9G B1 K0 T0 X9 XA ZZ"
).split(" ");

describe("response codes of an ISO 8583 host", () => {
  let gateway: Gateway;
  let host: ScriptedHost;
  let processor_id: string;
  /** What the host does with a message about money. */
  let answer: (question: Message, caller: Caller) => void;
  const says = (code: string) => {
    answer = (question, caller) => caller.send(answerTo(question, code));
  };

  before(async () => {
    host = await scriptedHost({ asked: (question, caller) => answer(question, caller) });
    gateway = await startTestGateway();
    const settings = testSettings(host.peer.port, { framing: "binary-2", digits: "bcd", bitmap: "binary" });
    processor_id = await merchantOf(gateway).processor({
      kind: "iso8583",
      settings: { ...settings, timeout_ms: 1_000 },
    });
  });
  after(async () => {
    await gateway.close();
    await host.stop();
  });

  const charge = async () =>
    transactionOf(
      expectStatus(await gateway.post("/api/transactions/sale", sale({ processor_id, amount: "100.00" })), 200),
    );
  const follow = (id: string, type: string) => gateway.post(`/api/transactions/${id}/${type}`, {});
  const heard = (mti: string) => host.heard.filter((message) => message.mti === mti).length;
  const failing = async () => {
    const { processors } = (await gateway.get("/api/processors")).body;
    const record = processors.find(({ id }: { readonly id: string }) => id === processor_id);
    assert.ok(record && "failing_since" in record);
    return record.failing_since;
  };

  test("a sale with an unlisted code, or one of the schemes' newer ones, is a decline that shows it, and nothing is reversed", async () => {
    for (const code of DECLINES) {
      says(code);
      const { events } = await charge();
      assert.deepEqual([events[0].success, events[0].status, events[0].processor_code], [false, "declined", code]);
    }
    assert.equal(heard("0420"), 0);
    assert.equal(await failing(), null);
    const { unresolved } = (await gateway.operator("GET", `/operator/unresolved?processor_id=${processor_id}`)).body;
    assert.deepEqual(unresolved, []);
  });

  test("so is a capture, void or refund: it is asked for once", async () => {
    for (const [type, mti] of [
      ["void", "0400"],
      ["refund", "0200"],
    ] as const)
      for (const code of ["N0", "76", "ZZ"]) {
        says("00");
        const { id } = await charge();
        says(code);
        const before = heard(mti);
        const [event] = transactionOf(expectStatus(await follow(id, type), 200)).events;
        assert.deepEqual([event.status, event.processor_code], ["declined", code], type);
        assert.equal(heard(mti), before + 1);
      }
  });

  test("an approval of a part of the amount is no approval: it is shown as failed, and all of it is reversed", async () => {
    for (const [code, amount] of [
      ["10", "000000006000"],
      ["10", "000000010000"],
      ["32", "000000010000"],
      ["85", "000000010000"],
      ["87", "000000010000"],
    ] as const) {
      const reversals: Message[] = [];
      answer = (question, caller) => {
        if (question.mti !== "0420") return caller.send(answerTo(question, code).with({ 4: amount }));
        reversals.push(question);
        caller.send(answerTo(question));
      };
      const { id, events } = await charge();
      assert.deepEqual([events[0].success, events[0].status], [false, "error"], code);
      for (let looks = 0; reversals.length === 0 && looks < 200; looks++) await sleep(50);
      assert.deepEqual(
        reversals.map((message) => message.get(4)),
        ["000000010000"],
        code,
      );
      const [event] = transactionOf(await gateway.get(`/api/transactions/${id}`)).events;
      assert.equal(event.success, false);
    }
    assert.equal(await failing(), null);
  });
});
