import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Day, ordinaryDay } from "../../test/fixtures/ordinary-day.ts";
import { SEED } from "../../test/random.ts";
import { parseCardNumber } from "../payment/card.ts";
import { type CardTestingSettings, DEFAULT_CARD_TESTING } from "../payment/card-testing.ts";
import { amountOf } from "../payment/money.ts";
import type { Ended } from "./card-groups.ts";
import { type CardTestingWatch, cardTestingWatch } from "./card-testing.ts";
import type { Report, Told } from "./card-testing-exchange.ts";

const APPROVED: Ended = { kind: "approved" };
const DECLINED: Ended = { kind: "declined", category: "wrong-data" };
const BROKEN: Ended = { kind: "declined", category: "try-later" };
const SECRET = Buffer.alloc(32, 7);
const MINUTE_MS = 60_000;

interface Charge {
  readonly digits: string;
  readonly address?: string | null;
  readonly amount?: bigint;
  readonly currency?: string;
  readonly token?: string;
  readonly merchant?: string;
}

/** A watch whose time passes only while it holds a charge back, or by hand. */
function bench(settings: CardTestingSettings = DEFAULT_CARD_TESTING, wait: () => Promise<unknown> = async () => {}) {
  let nowMs = 0;
  const held: number[] = [];
  const watch = cardTestingWatch(SECRET, settings, {
    nowMs: () => nowMs,
    wait: async (ms) => {
      held.push(ms);
      await wait();
    },
  });
  const admit = ({
    digits,
    address = "203.0.113.7",
    amount = 100n,
    currency = "USD",
    token = "token",
    merchant = "merchant",
  }: Charge) => {
    const card = parseCardNumber(digits);
    assert(card);
    const settingsOfMerchant = null;
    return watch.admit({
      merchantId: merchant,
      tokenId: token,
      settings: settingsOfMerchant,
      card,
      amount: amountOf(amount),
      currency,
      ipAddress: address,
    });
  };
  return {
    watch,
    held,
    pass: (ms: number) => {
      nowMs += ms;
    },
    moveTo: (ms: number) => {
      nowMs = Math.max(nowMs, ms);
    },
    admit,
    /** @returns whether it went on */
    charge: async (charge: Charge, outcome: Ended): Promise<boolean> => {
      const admitted = await admit(charge);
      admitted?.ended(outcome);
      return admitted !== undefined;
    },
  };
}

const guessed = (count: number, range = "411111") =>
  Array.from({ length: count }, (_, nth) => `${range}${String(nth).padStart(10, "0")}`);

const refusedOf = (watch: CardTestingWatch): readonly Report[] =>
  watch.takeReports().filter(({ refused }) => refused > 0);

describe("card testing", () => {
  for (const [what, vary] of [
    ["a range", (nth: number) => ({ address: `10.0.0.${nth}`, token: `token ${nth}` })],
    [
      "an address",
      (nth: number, digits: string) => ({ digits: `${400_000 + nth}${digits.slice(6)}`, token: `token ${nth}` }),
    ],
    [
      "a crowd",
      (nth: number, digits: string) => ({ digits: `${400_000 + nth}${digits.slice(6)}`, address: `10.0.0.${nth}` }),
    ],
    ["a token", (nth: number, digits: string) => ({ digits: `${400_000 + nth}${digits.slice(6)}`, address: null })],
  ] as const)
    test(`declined cards of ${what} are slowed, and refused from the fortieth on`, async () => {
      const { watch, held, charge } = bench();
      const passed: boolean[] = [];
      for (const [nth, digits] of guessed(100).entries()) {
        if (nth === 20) assert.deepEqual(held, []);
        passed.push(await charge({ digits, ...vary(nth, digits) }, DECLINED));
      }
      assert.deepEqual(passed, [...Array(40).fill(true), ...Array(60).fill(false)]);
      assert.ok(held.length > 20);
      const [report, ...more] = refusedOf(watch);
      assert.deepEqual([report?.signal, report?.slowed, report?.refused, more], [what.split(" ")[1], 20, 60, []]);
    });

  test("approved cards of one range are refused only where the operator wants it", async () => {
    const approvedOf = async (withoutDeclines: boolean): Promise<number> => {
      const { charge } = bench({ ...DEFAULT_CARD_TESTING, withoutDeclines });
      let through = 0;
      for (const digits of guessed(100)) if (await charge({ digits }, APPROVED)) through++;
      return through;
    };
    assert.deepEqual([await approvedOf(true), await approvedOf(false)], [40, 100]);
  });

  test("sixty approved sales of 3.00 of a prepaid programme's one range go on", async () => {
    const { charge, held } = bench();
    for (const digits of guessed(60)) assert.ok(await charge({ digits, amount: 300n }, APPROVED));
    assert.deepEqual(held, []);
  });

  test("an approval whose CVV does not match is one of a guessed card, and one whose CVV matches is not", async () => {
    const throughWith = async (cvv: "match" | "no_match" | null): Promise<number> => {
      const { charge } = bench();
      let through = 0;
      for (const digits of guessed(100))
        if (await charge({ digits }, { ...APPROVED, processorResponse: { cvv } })) through++;
      return through;
    };
    assert.deepEqual(
      [await throughWith("no_match"), await throughWith("match"), await throughWith(null)],
      [40, 100, 100],
    );
  });

  test("an attack is refused on top of a busy ten minutes that went well", async () => {
    const { charge } = bench();
    for (const digits of guessed(230, "4111119")) await charge({ digits }, APPROVED);
    let through = 0;
    for (const digits of guessed(100)) if (await charge({ digits }, DECLINED)) through++;
    assert.ok(through <= 40, `${through}`);
  });

  test("a thousand at once get no further than one after the other", async () => {
    const { admit } = bench();
    const all = guessed(1_000).map(async (digits, nth) => {
      const admitted = await admit({ digits, address: `10.0.${nth % 250}.1` });
      await Promise.resolve();
      admitted?.ended(DECLINED);
      return admitted !== undefined;
    });
    const through = (await Promise.all(all)).filter(Boolean).length;
    assert.ok(through >= 20 && through <= 50, `${through}`);
  });

  test("a merchant that is attacked by many at once leaves the others' charges to be held back, not refused", async () => {
    const forEver = () => new Promise<never>(() => undefined);
    const { admit } = bench(DEFAULT_CARD_TESTING, forEver);
    const refusedOf = async (merchant: string, count: number) => {
      let refused = 0;
      for (const [nth, digits] of guessed(count).entries())
        void admit({ digits, merchant, address: `10.0.${nth % 250}.1` }).then((admitted) => {
          if (admitted === undefined) refused++;
        });
      await new Promise(setImmediate);
      return refused;
    };
    assert.ok((await refusedOf("attacked", 1_000)) > 0);
    assert.equal(await refusedOf("other", 100), 0);
  });

  test("while it goes on, few of each window's cards get through; when it stops, so do the refusals", async () => {
    const { charge, pass } = bench();
    const cards = guessed(1_000);
    for (const digits of cards.slice(0, 100)) await charge({ digits }, DECLINED);
    // An hour and a half of it, nine seconds apart.
    let through = 0;
    for (const digits of cards.slice(100, 700)) {
      pass(9_000);
      if (await charge({ digits }, DECLINED)) through++;
    }
    assert.ok(through <= 9 * 12, `${through}`);
    // Others ten minutes later, whoever has that address after an hour.
    pass(10 * MINUTE_MS + 1);
    const [elsewhere = "", again = ""] = cards.slice(700);
    assert.equal(await charge({ digits: elsewhere, address: "203.0.113.8" }, DECLINED), true);
    assert.equal(await charge({ digits: again }, DECLINED), false);
    pass(60 * MINUTE_MS + 1);
    assert.equal(await charge({ digits: again }, DECLINED), true);
  });

  test("customers whose cards are of a refused range do not keep the refusals up when the attack is over", async () => {
    const { charge, pass } = bench();
    for (const digits of guessed(100)) await charge({ digits }, DECLINED);
    const passed: boolean[] = [];
    for (const digits of guessed(1_000, "4111119")) {
      pass(1_000);
      passed.push(await charge({ digits, address: null, token: "other" }, APPROVED));
    }
    assert.deepEqual([passed[0], passed.slice(601).every(Boolean)], [false, true]);
  });

  test("other merchants, other ranges, larger amounts and cards that were approved a moment ago go on", async () => {
    const { charge } = bench();
    const [approved = "", ...others] = guessed(100);
    assert.ok(await charge({ digits: approved }, APPROVED));
    for (const [nth, digits] of others.entries())
      await charge({ digits, address: `10.0.0.${nth}`, token: `${nth}` }, DECLINED);
    const [fresh = ""] = guessed(1, "4111119");
    assert.equal(await charge({ digits: fresh }, DECLINED), false);
    assert.ok(await charge({ digits: approved }, APPROVED));
    assert.ok(await charge({ digits: fresh, merchant: "other" }, DECLINED));
    assert.ok(await charge({ digits: fresh, amount: 1_001n }, DECLINED));
    assert.ok(await charge({ digits: "5500000000000004" }, DECLINED));
  });

  test("a small amount is about as much in every currency: yen are watched, and an ordinary purchase in dinars is not", async () => {
    for (const [currency, small] of Object.entries({ JPY: 200_000n, KRW: 1_000_000n, KWD: 200n, CAD: 1_000n }))
      for (const amount of [small, small + 1n]) {
        const { charge } = bench();
        let passed = 0;
        for (const digits of guessed(60)) if (await charge({ digits, amount, currency }, DECLINED)) passed++;
        assert.equal(passed === 60, amount > small, `${currency} ${amount}`);
      }
  });

  test("what one range explains does not make the token's other customers suspicious", async () => {
    const { charge, held } = bench();
    for (const [nth, digits] of guessed(100).entries()) await charge({ digits, address: `10.0.0.${nth}` }, DECLINED);
    held.length = 0;
    for (const [nth, digits] of guessed(50, "499999").entries())
      assert.ok(await charge({ digits, address: `10.0.1.${nth}` }, APPROVED));
    assert.deepEqual(held, []);
  });

  /** Cards of many ranges, of which so many of a hundred are declined. */
  const listed = (percent: number) =>
    guessed(300).map((digits, nth) => ({
      charge: { digits: `${400_000 + nth}${digits.slice(6)}` },
      outcome: (nth * 37) % 100 < percent ? DECLINED : APPROVED,
    }));

  test("of a crowd two thirds of the newest are enough, and of a server that charges many cards it takes three quarters", async () => {
    const through = async (percent: number, address: (nth: number) => string): Promise<number> => {
      const { charge } = bench();
      let through = 0;
      for (const [nth, one] of listed(percent).entries())
        if (await charge({ ...one.charge, address: address(nth) }, one.outcome)) through++;
      return through;
    };
    const [apart, together] = [(nth: number) => `10.0.${nth % 250}.1`, () => "203.0.113.1"];
    assert.deepEqual([await through(72, apart), await through(72, together)], [40, 300]);
    assert.deepEqual([await through(60, apart), await through(90, together)], [300, 40]);
  });

  test("an attack of a crowd does not stop what the token's own server goes on charging", async () => {
    const { charge } = bench();
    const run = guessed(100, "499999").map((digits) => ({ digits, address: "203.0.113.1" }));
    for (const one of run.splice(0, 10)) assert.ok(await charge(one, APPROVED));
    for (const [nth, one] of listed(100).entries())
      await charge({ ...one.charge, address: `10.0.${nth % 250}.1` }, one.outcome);
    for (const [nth, one] of run.entries()) assert.ok(await charge(one, nth % 4 === 0 ? DECLINED : APPROVED), `${nth}`);
    assert.equal(await charge({ digits: "5500000000000004", address: "10.1.1.1" }, APPROVED), false);
  });

  test("while the processor is broken nothing is told about any card", async () => {
    const { charge } = bench();
    for (const digits of guessed(200)) assert.ok(await charge({ digits }, BROKEN));
  });

  test("one card many thousand times, and many cards that are approved in the sandbox, are not held up", async () => {
    const { charge, held } = bench();
    for (let nth = 0; nth < 5_000; nth++) assert.ok(await charge({ digits: "4000000000000002" }, DECLINED));
    for (const digits of guessed(5_000)) assert.ok(await charge({ digits }, APPROVED));
    assert.deepEqual(held, []);
  });

  for (const count of [2, 4, 8])
    test(`what is spread over ${count} nodes that tell each other is refused as if they were one`, async () => {
      const nodes = Array.from({ length: count }, () => ({ ...bench(), told: new Map<string, Told>() }));
      let through = 0;
      for (const [nth, digits] of guessed(200).entries()) {
        const at = nodes[nth % count];
        if (await at?.charge({ digits, address: null, token: `${nth}` }, DECLINED)) through++;
        for (const report of at?.watch.takeReports() ?? []) at?.told.set(report.name, report);
        for (const node of nodes) node.watch.learn(addedUp(nodes.filter((other) => other !== node)), count);
      }
      assert.ok(through >= 40 && through <= 50, `${through}`);
    });

  test("a card every 40 s from one address, by turns over four nodes that go by what was told within a minute, is refused", async () => {
    const nodes = Array.from({ length: 4 }, () => ({ ...bench(), told: new Map<string, Told & { atMs: number }>() }));
    let through = 0;
    for (const [nth, digits] of guessed(90).entries()) {
      const card = { digits: `${400_000 + nth}${digits.slice(6)}`, address: "203.0.113.7", token: `${nth}` };
      if (await nodes[nth % 4]?.charge(card, DECLINED)) through++;
      for (let atMs = nth * 40_000; atMs < (nth + 1) * 40_000; atMs += 10_000) {
        for (const { watch, told, moveTo } of nodes) {
          moveTo(atMs);
          for (const report of watch.takeReports()) told.set(report.name, { ...report, atMs });
          for (const [name, report] of told) if (report.atMs <= atMs - MINUTE_MS) told.delete(name);
        }
        for (const node of nodes) node.watch.learn(addedUp(nodes.filter((other) => other !== node)), 4);
      }
    }
    assert.ok(through >= 40 && through <= 50, `${through}`);
  });

  test("what was told is told again while it is within its window, and not after it", async () => {
    const { watch, charge, pass } = bench();
    for (const digits of guessed(20)) await charge({ digits, address: null }, DECLINED);
    const range = () => watch.takeReports().filter(({ signal }) => signal === "range");
    const told = (reports: readonly Report[]) =>
      reports.map(({ cards, declined, slowed }) => [cards, declined, slowed]);
    assert.deepEqual(told(range()), [[20, 20, 0]]);
    assert.deepEqual(told(range()), []);
    pass(9 * MINUTE_MS);
    assert.deepEqual(told(range()), [[20, 20, 0]]);
    pass(2 * MINUTE_MS);
    assert.deepEqual(range(), []);
  });

  test("a merchant that the operator does not want watched is not", async () => {
    const { charge } = bench({ ...DEFAULT_CARD_TESTING, enabled: false });
    for (const digits of guessed(200)) assert.ok(await charge({ digits }, DECLINED));
  });
});

/** As the database adds up what several nodes told. */
function addedUp(others: readonly { readonly told: ReadonlyMap<string, Told> }[]): Map<string, Told> {
  const sum = new Map<string, Told>();
  for (const { told } of others)
    for (const [name, { cards, newest, declined, merchantCards }] of told) {
      const before = sum.get(name) ?? { cards: 0, newest: 0, declined: 0, merchantCards: 0 };
      sum.set(name, {
        cards: before.cards + cards,
        newest: before.newest + newest,
        declined: before.declined + declined,
        merchantCards: before.merchantCards + merchantCards,
      });
    }
  return sum;
}

describe("an ordinary day is neither slowed nor refused", () => {
  const days: readonly (readonly [string, Day])[] = [
    ["a shop", { sales: 20_000, opening: 0, small: 30, declined: 12 }],
    ["a ticket sale that sells out at noon", { sales: 20_000, opening: 5_000, small: 20, declined: 15 }],
    ["a car park where all is small", { sales: 20_000, opening: 1_500, small: 100, declined: 10 }],
    ["a shop that sends its own address", { sales: 20_000, opening: 2_000, small: 60, declined: 15, oneAddress: true }],
  ];
  for (const [name, day] of days)
    test(name, async () => {
      const { refusedAtMs, held } = await live(day);
      assert.deepEqual({ refused: refusedAtMs.length, held }, { refused: 0, held: 0 }, `seed ${SEED}`);
    });

  test("but where four in ten are declined at addresses of their own, some may be, for ten minutes at a time", async () => {
    const day = { sales: 20_000, opening: 8_000, small: 100, declined: 40 };
    const { refusedAtMs } = await live(day);
    const begins: number[] = [];
    for (const atMs of refusedAtMs) if (atMs > (begins.at(-1) ?? -Infinity) + 10.5 * MINUTE_MS) begins.push(atMs);
    assert.ok(begins.length <= 3, `${begins.length} times, seed ${SEED}`);
  });

  async function live(day: Day) {
    const { charge, held, moveTo } = bench();
    const refusedAtMs: number[] = [];
    for (const visit of ordinaryDay(SEED, day)) {
      moveTo(visit.atMs);
      if (!(await charge(visit, visit.declined ? DECLINED : APPROVED))) refusedAtMs.push(visit.atMs);
    }
    return { refusedAtMs, held: held.length };
  }

  test("and a burst in the middle of it is refused within fifty cards", async () => {
    const { charge, moveTo } = bench();
    let [through, refusedOthers] = [0, 0];
    const burst = guessed(300, "499999");
    for (const visit of ordinaryDay(SEED, { sales: 20_000, opening: 2_000, small: 60, declined: 12 })) {
      moveTo(visit.atMs);
      if (!(await charge(visit, visit.declined ? DECLINED : APPROVED))) refusedOthers++;
      const digits = visit.atMs > 43_200_000 ? burst.pop() : undefined;
      if (digits !== undefined && (await charge({ digits, address: `192.0.2.${burst.length % 250}` }, DECLINED)))
        through++;
    }
    assert.ok(through >= 40 && through <= 50, `${through}`);
    assert.equal(refusedOthers, 0);
  });
});
