import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { withLink } from "../../../../test/fixtures/link-trial.ts";
import {
  answerTo,
  type Caller,
  HOW,
  type Script,
  scriptedHost,
  someQuestion,
} from "../../../../test/fixtures/scripted-host.ts";
import { systemClock } from "../../../clock.ts";
import { frame } from "../codec/frames.ts";
import type { Fields, Message } from "../codec/message.ts";
import { encodeMessage } from "../codec/message-codec.ts";
import { pauseMs } from "./line.ts";
import { calmed, Link } from "./link.ts";

/** Waits for what must come; fails when it does not. */
async function until(come: () => boolean): Promise<void> {
  const patience = performance.now() + 10_000;
  while (!come()) {
    assert.ok(performance.now() < patience, "it never came");
    await pause(5);
  }
}

const framed = (message: Message) => frame(encodeMessage(message, HOW.dialect), HOW.framing);

test("many questions are answered in any order, each by its own answer", async () => {
  const asked: [Message, Caller][] = [];
  const script: Script = {
    asked: (question, caller) => {
      asked.push([question, caller]);
      if (asked.length < 100) return;
      for (const [one, from] of asked.toReversed()) from.send(answerTo(one));
    },
  };
  await withLink(script, async ({ ask }) => {
    const questions = Array.from({ length: 100 }, (_, index) => someQuestion("0200", index + 1));
    const replies = await Promise.all(questions.map((question) => ask(question)));
    for (const [index, reply] of replies.entries()) {
      assert.ok(reply.kind === "answered");
      assert.equal(reply.message.get(4), questions[index]?.get(4));
      assert.equal(reply.message.get(11), questions[index]?.get(11));
    }
  });
});

test("an answer that is not wholly the question's own is never taken for it, and the right one still is", async () => {
  const wrong: readonly (readonly [string, Fields, string?])[] = [
    ["another STAN", { 11: "999999" }],
    ["another terminal", { 41: "TERM02  " }],
    ["another RRN", { 37: "RRRRRRRRRRR0" }],
    ["another amount", { 4: "000000000999" }],
    ["another message type", {}, "0110"],
    ["a type that answers another operation", {}, "0230"],
    ["the question itself", { 38: undefined, 39: undefined }, "0200"],
    ["another currency", { 49: "124" }],
    ["another processing code", { 3: "200000" }],
    ["another merchant", { 42: "MERCHANT2      " }],
    ["no response code", { 39: undefined }],
    ["no RRN", { 37: undefined }],
    ["no amount", { 4: undefined }],
    ["no terminal", { 41: undefined }],
  ];
  const script: Script = {
    asked: (question, caller) => {
      for (const [, fields, mti] of wrong) {
        const answer = answerTo(question);
        caller.send(answer.with(fields, mti ?? answer.mti));
      }
      const whole = encodeMessage(answerTo(question), HOW.dialect);
      for (const garbage of [Buffer.from("garbage"), whole.subarray(0, 40), Buffer.concat([whole, whole])])
        caller.sendBytes(frame(garbage, HOW.framing));
      setTimeout(() => caller.send(answerTo(question, "05")), 20);
    },
  };
  await withLink(script, async ({ ask, told }) => {
    for (let time = 0; time < 3; time++) {
      const reply = await ask(someQuestion());
      assert.ok(reply.kind === "answered");
      assert.equal(reply.message.get(39), "05");
    }
    assert.ok(told.some((line) => line.startsWith("an answer was not used: late, doubled or foreign")));
    assert.ok(told.some((line) => line.startsWith("an answer was not used: contradicting its question")));
    assert.ok(told.some((line) => line.startsWith("an answer was not used: without all of its fields")));
    assert.ok(told.some((line) => line.startsWith("the host sent something that is not a message")));
  });
});

test("a doubled answer and a late one answer nothing else", async () => {
  const script: Script = {
    asked: (question, caller) => {
      const late = question.get(4) === "000000000001";
      const send = () => {
        for (let time = 0; time < 2; time++) caller.send(answerTo(question, late ? "00" : "05"));
      };
      if (late) setTimeout(send, 60);
      else send();
    },
  };
  await withLink(script, async ({ ask }) => {
    const late = ask(someQuestion("0200", 1), 30);
    const codes = [];
    for (let time = 0; time < 10; time++) {
      const reply = await ask(someQuestion("0200", 2));
      codes.push(reply.kind === "answered" && reply.message.get(39));
      await pause(10);
    }
    assert.deepEqual(await late, { kind: "unanswered", why: "The deadline passed before the answer came" });
    assert.deepEqual(codes, Array(10).fill("05"));
  });
});

test("the same question asked twice at once has the same answer twice", async () => {
  await withLink(
    { asked: (question, caller) => setTimeout(() => caller.send(answerTo(question)), 20) },
    async ({ ask }) => {
      const question = someQuestion();
      const [one, other] = await Promise.all([ask(question), ask(question)]);
      assert.ok(one?.kind === "answered" && other?.kind === "answered");
    },
  );
});

test("nobody there: nothing was sent", async () => {
  const host = await scriptedHost();
  await host.stop();
  const parts = { clock: systemClock, log: { info: () => {}, warn: () => {} }, chance: () => 0 };
  const link = new Link(host.peer, 2, parts);
  const reply = await link.ask(someQuestion(), AbortSignal.timeout(2_000));
  assert.deepEqual(reply, { kind: "not-sent", why: "No connection to the host: the connection broke: ECONNREFUSED" });
  await link.close();
});

test("a sign-on that is refused or not answered: nothing was sent", async () => {
  await withLink({ signOn: "58" }, async ({ ask, host }) => {
    const why = "No connection to the host: the host refused the sign-on";
    assert.deepEqual(await ask(someQuestion()), { kind: "not-sent", why });
    assert.ok(host.heard.every(({ mti }) => mti === "0800"));
  });
  await withLink({ signOn: null }, async ({ ask, host }) => {
    const why = "The deadline passed before anything was sent";
    assert.deepEqual(await ask(someQuestion(), 100), { kind: "not-sent", why });
    assert.ok(host.heard.every(({ mti }) => mti === "0800"));
  });
});

test("a connection that ends after the question left: unanswered, at once", async () => {
  const script: Script = { asked: (_, caller) => caller.hangUp() };
  await withLink(script, async ({ ask }) => {
    const startedAt = performance.now();
    const reply = await ask(someQuestion());
    assert.equal(reply.kind, "unanswered");
    assert.ok(performance.now() - startedAt < 5_000, "long before the deadline");
  });
});

test("half an answer, and then the end of the connection, is no answer", async () => {
  const script: Script = {
    asked: (question, caller) => {
      caller.sendBytes(framed(answerTo(question)).subarray(0, 50));
      setTimeout(() => caller.hangUp(), 20);
    },
  };
  await withLink(script, async ({ ask, told }) => {
    assert.equal((await ask(someQuestion())).kind, "unanswered");
    assert.ok(told.some((line) => line.startsWith("a connection ended within a message")));
  });
});

test("a length that no message has ends the connection, and the next question goes by a new one", async () => {
  let first = true;
  const script: Script = {
    asked: (question, caller) => {
      caller.sendBytes(first ? Buffer.from([0xff, 0xff, 1, 2, 3]) : framed(answerTo(question)));
      first = false;
    },
  };
  await withLink(script, async ({ ask }) => {
    assert.equal((await ask(someQuestion())).kind, "unanswered");
    assert.equal((await ask(someQuestion())).kind, "answered");
  });
});

test("after a restart of the host the link is back by itself", async () => {
  const asked: Script["asked"] = (question, caller) => caller.send(answerTo(question));
  await withLink({ asked }, async ({ ask, host }) => {
    assert.equal((await ask(someQuestion())).kind, "answered");
    await host.stop();
    await pause(400);
    assert.equal((await ask(someQuestion())).kind, "not-sent");
    const again = await scriptedHost({ asked, port: host.peer.port });
    let kind = "";
    await until(() => {
      void ask(someQuestion()).then((reply) => {
        kind = reply.kind;
      });
      return kind === "answered";
    });
    await again.stop();
  });
});

test("a link that goes silent is found within two echo intervals, and what was asked on it is unanswered", async () => {
  const echoIntervalMs = 800;
  await withLink(
    { echoes: false },
    async ({ ask, told }) => {
      const startedAt = performance.now();
      const reply = await ask(someQuestion());
      const tookMs = performance.now() - startedAt;
      assert.deepEqual(reply, { kind: "unanswered", why: "No answer, and then the host went silent" });
      // The intervals count from the sign-on; half a one is left for a slow machine.
      assert.ok(tookMs > 1.8 * echoIntervalMs && tookMs < 2.5 * echoIntervalMs, `found after ${tookMs} ms`);
      assert.ok(told.some((line) => line.includes("the host went silent")));
    },
    { echoIntervalMs },
  );
});

test("an idle link is kept by its echoes", async () => {
  await withLink(
    {},
    async ({ link, host }) => {
      await link.health(AbortSignal.timeout(10_000));
      const heard = (work: string) => host.heard.filter((message) => message.get(70) === work).length;
      await until(() => heard("301") >= 5);
      assert.equal(heard("001"), 1, "one sign-on");
    },
    { echoIntervalMs: 100 },
  );
});

test("a host that asks for an echo has one", async () => {
  await withLink({}, async ({ link, host }) => {
    await link.health(AbortSignal.timeout(10_000));
    for (const caller of host.callers) caller.send(someQuestion("0800").with({ 70: "301" }));
    await until(() => host.heard.some((message) => message.mti === "0810" && message.get(39) === "00"));
  });
});

test("several connections share the questions", async () => {
  const byCaller = new Map<Caller, number>();
  const asked: Script["asked"] = (question, caller) => {
    byCaller.set(caller, (byCaller.get(caller) ?? 0) + 1);
    caller.send(answerTo(question));
  };
  await withLink(
    { asked },
    async ({ ask }) => {
      while (byCaller.size < 3) assert.equal((await ask(someQuestion())).kind, "answered");
      byCaller.clear();
      for (let time = 0; time < 30; time++) assert.equal((await ask(someQuestion())).kind, "answered");
      assert.deepEqual([...byCaller.values()], [10, 10, 10]);
    },
    { connections: 3 },
  );
});

test("closing signs off, ends what is in flight, and sends nothing more", async () => {
  await withLink({}, async ({ ask, link, host }) => {
    await link.health(AbortSignal.timeout(10_000));
    const inFlight = ask(someQuestion());
    await until(() => host.heard.some(({ mti }) => mti === "0200"));
    await link.close();
    assert.equal((await inFlight).kind, "unanswered");
    assert.equal(host.heard.at(-1)?.get(70), "002");
    assert.equal((await ask(someQuestion())).kind, "not-sent");
    assert.equal((await link.health(AbortSignal.timeout(100))).reachable, false);
  });
});

test("more questions than can be in flight are not sent", async () => {
  await withLink({}, async ({ link }) => {
    const signal = AbortSignal.timeout(1_500);
    const asked = Array.from({ length: 10_050 }, () => link.ask(someQuestion(), signal));
    const replies = await Promise.all(asked);
    assert.ok(replies.some((reply) => reply.kind === "not-sent" && reply.why === "Too many questions are in flight"));
    assert.ok(replies.every((reply) => reply.kind !== "answered"));
  });
});

test("pauses double from a tenth of a second to fifteen seconds, and are never the same by half", () => {
  const longest = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1_000].map((failures) => pauseMs(failures, 0.999_999));
  assert.deepEqual(longest, [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000, 15_000]);
  assert.deepEqual([pauseMs(0, 0), pauseMs(1, 0), pauseMs(99, 0)], [50, 100, 7_500]);
});

test("the same line is told once a second, with how often it was left out", () => {
  let now = 0;
  const told: string[] = [];
  const tell = (facts: object, text: string) => void told.push(`${text} ${JSON.stringify(facts)}`);
  const log = calmed({ info: tell, warn: tell }, () => now);
  for (; now < 2_000; now += 250) log.warn({ stan: "000001" }, "odd");
  log.warn({}, "other");
  assert.deepEqual(told, ['odd {"stan":"000001"}', 'odd {"stan":"000001","leftOut":3}', "other {}"]);
});
