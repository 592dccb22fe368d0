import assert from "node:assert/strict";
import { test } from "node:test";
import { FailureCircuit } from "./failure-circuit.ts";

const at = (ms: number) => new Date(Date.UTC(2030, 4, 1, 12) + ms);

/** `f` is a charge that failed, `.` one that did not, one a second. */
function told(charges: string): { circuit: FailureCircuit; changes: string[] } {
  const circuit = new FailureCircuit();
  const changes = [...charges].flatMap((one, second) => circuit.note(one === "f", at(second * 1_000)) ?? []);
  return { circuit, changes };
}

test("it opens at five failures among the newest ten, and no earlier", () => {
  for (const [charges, changes] of [
    ["ffff", []],
    ["fffff", ["opened"]],
    ["f.f.f.f.", []],
    ["f.f.f.f.f", ["opened"]],
    ["f.f.f.f..f", ["opened"]],
    ["f.f.f.f...f", []],
    ["ffff......ffff", []],
    ["....................fffff", ["opened"]],
  ] as const)
    assert.deepEqual(told(charges).changes, changes, charges);
});

test("what was more than five minutes ago does not count", () => {
  const { circuit } = told("ffff");
  assert.equal(circuit.note(true, at(300_000)), undefined);
  assert.equal(circuit.openSince, undefined);
  assert.ok(!circuit.idle);
  const other = told("ffff").circuit;
  assert.equal(other.note(true, at(299_999)), "opened");
  assert.deepEqual(other.openSince, at(299_999));
});

test("the next charge that does not fail closes it, and what was before is forgotten", () => {
  const { circuit, changes } = told("fffffff.ffff");
  assert.deepEqual(changes, ["opened", "closed"]);
  assert.ok(circuit.admits && !circuit.idle);
  assert.ok(told("fffff.").circuit.idle);
});

test("a second after it opened its processor is asked, once, and when it answers one charge is let through", () => {
  const { circuit } = told("fffff");
  const opened = 4_000;
  assert.ok(!circuit.admits);
  assert.equal(circuit.beginsToAsk(at(opened + 999)), false);
  assert.equal(circuit.beginsToAsk(at(opened + 1_000)), true);
  assert.equal(circuit.beginsToAsk(at(opened + 1_001)), false);
  circuit.answered(true, at(opened + 1_002));
  assert.ok(circuit.admits);
  circuit.drawn(at(opened + 1_003));
  assert.ok(!circuit.admits);
  assert.equal(circuit.note(false, at(opened + 1_004)), "closed");
  assert.ok(circuit.admits);
});

test("a charge that was let through and is not sent gives its turn back, and the pause with it", () => {
  const { circuit } = told("fffff");
  circuit.beginsToAsk(at(5_000));
  circuit.answered(true, at(5_001));
  for (let nth = 0; nth < 10; nth++) {
    const notSent = circuit.drawn(at(5_002));
    assert.ok(!circuit.admits);
    notSent();
    assert.ok(circuit.admits);
  }
  circuit.drawn(at(5_003));
  assert.equal(circuit.beginsToAsk(at(7_002)), false);
  assert.equal(circuit.beginsToAsk(at(7_003)), true);
});

test("a charge that asked for the record by name and is not sent lets no other through", () => {
  const { circuit } = told("fffff");
  circuit.drawn(at(4_500))();
  assert.ok(!circuit.admits);
  assert.equal(circuit.beginsToAsk(at(5_000)), true);
});

test("a charge that is not sent changes nothing of what was found out since", () => {
  const { circuit } = told("fffff");
  circuit.beginsToAsk(at(5_000));
  circuit.answered(true, at(5_001));
  const notSent = circuit.drawn(at(5_002));
  assert.equal(circuit.beginsToAsk(at(7_002)), true);
  circuit.answered(false, at(7_003));
  notSent();
  assert.ok(!circuit.admits);
  assert.equal(circuit.beginsToAsk(at(11_002)), false);
});

test("what another process found out opens and closes it too, and is looked into a minute later", () => {
  const circuit = new FailureCircuit();
  circuit.learn(at(0), at(10));
  assert.deepEqual([circuit.openSince, circuit.admits, circuit.idle], [at(0), false, false]);
  assert.equal(circuit.beginsToAsk(at(60_009)), false);
  assert.equal(circuit.beginsToAsk(at(60_010)), true);
  circuit.learn(undefined, at(60_011));
  assert.ok(circuit.admits && circuit.idle);
  const own = told("fffff").circuit;
  own.learn(at(9_000), at(9_000));
  assert.deepEqual(own.openSince, at(4_000));
});

test("the pauses between probes double up to a minute, whether it does not answer or a charge fails again", () => {
  const { circuit } = told("fffff");
  let nowMs = 4_000;
  for (const [nth, pauseMs] of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000].entries()) {
    assert.equal(circuit.beginsToAsk(at(nowMs + pauseMs - 1)), false, `${nth}`);
    nowMs += pauseMs;
    assert.equal(circuit.beginsToAsk(at(nowMs)), true, `${nth}`);
    circuit.answered(nth % 2 === 0, at(nowMs));
    if (nth % 2 === 0) circuit.drawn(at(nowMs));
    circuit.note(true, at(nowMs));
  }
});
