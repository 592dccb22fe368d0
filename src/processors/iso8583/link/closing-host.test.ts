// Hosts that close the connection: after each answer, or right after the sign-on.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { withLink } from "../../../../test/fixtures/link-trial.ts";
import { answerTo, type Caller, type Script, someQuestion } from "../../../../test/fixtures/scripted-host.ts";

describe("a host that closes the connection after each answer", () => {
  const closing = () => {
    let connections = 0;
    const asked: Script["asked"] = (question, caller) => {
      connections++;
      setTimeout(() => {
        caller.send(answerTo(question));
        caller.hangUp();
      }, connections % 3);
    };
    return { asked, connections: () => connections };
  };

  test("is asked by a new one each time, and nothing fails", async () => {
    const { asked, connections } = closing();
    await withLink({ asked }, async ({ ask, told }) => {
      assert.equal((await ask(someQuestion())).kind, "answered");
      await pause(50);
      for (let sales = 0; sales < 40; sales++) {
        assert.equal((await ask(someQuestion())).kind, "answered", `sale ${sales + 1}`);
        if (sales % 2) await pause(sales % 5);
      }
      assert.equal(connections(), 41);
      assert.ok(!told.some((line) => line.startsWith("no connection to the host")));
    });
  });

  test("is asked many questions at once by as many connections", async () => {
    const { asked } = closing();
    await withLink({ asked }, async ({ ask }) => {
      assert.equal((await ask(someQuestion())).kind, "answered");
      await pause(50);
      const replies = await Promise.all(Array.from({ length: 30 }, () => ask(someQuestion())));
      assert.deepEqual(new Set(replies.map(({ kind }) => kind)), new Set(["answered"]));
    });
  });

  test("and later keeps it open is asked by one connection again", async () => {
    let questions = 0;
    const used = new Set<Caller>();
    const asked: Script["asked"] = (question, caller) => {
      caller.send(answerTo(question));
      if (++questions === 1) caller.hangUp();
      else used.add(caller);
    };
    await withLink({ asked }, async ({ ask }) => {
      for (let sales = 0; sales < 3; sales++) {
        assert.equal((await ask(someQuestion())).kind, "answered");
        await pause(250);
      }
      used.clear();
      for (let sales = 0; sales < 20; sales++) assert.equal((await ask(someQuestion())).kind, "answered");
      assert.equal(used.size, 1);
    });
  });

  test("does not answer one question: the others do not wait for it", async () => {
    const { asked } = closing();
    const silent: Script["asked"] = (question, caller) =>
      question.get(4) === "000000000666" ? undefined : asked(question, caller);
    await withLink({ asked: silent }, async ({ ask }) => {
      assert.equal((await ask(someQuestion())).kind, "answered");
      await pause(50);
      const lost = ask(someQuestion("0200", 666), 1_000);
      for (let sales = 0; sales < 5; sales++) assert.equal((await ask(someQuestion(), 500)).kind, "answered");
      assert.equal((await lost).kind, "unanswered");
    });
  });
});

test("a host that closes right after the sign-on is tried again after longer and longer pauses", async () => {
  let signOns = 0;
  const signedOn: Script["signedOn"] = (caller) => {
    signOns++;
    caller.hangUp();
  };
  await withLink({ signedOn }, async ({ ask }) => {
    const end = performance.now() + 1_000;
    while (performance.now() < end) {
      assert.notEqual((await ask(someQuestion(), 100)).kind, "answered");
      await pause(5);
    }
    assert.ok(signOns >= 2 && signOns <= 8, `${signOns} in a second`);
  });
});
