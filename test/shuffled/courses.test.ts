// Random courses at both hosts, with webhooks in any order in the middle of them: in the end the gateway has the hosts' money, and offers
// no more than is there. `npm run simulate -- test/shuffled/courses` plays 600.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../hosts/adyen/webhooks.ts";
import { signed } from "../../hosts/stripe/webhooks.ts";
import { ACCOUNT, HMAC_KEY, testAdyenHost } from "../conformance/adyen-subject.ts";
import { stripeSettings, testHost, WEBHOOK_SECRET } from "../conformance/stripe-subject.ts";
import { startTestGateway } from "../journeys/gateway.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  leg,
  merchantOf,
  passenger,
  sale,
  transactionOf,
} from "../journeys/merchant.fixture.ts";
import { SEED, sized } from "../random.ts";
import { type Receiver, startReceiver } from "../receiver.ts";
import { type Chance, chanceFrom } from "../simulation/chance.ts";
import { actOfHost, amountScaleOf, type Hosts, leftAt } from "./courses.ts";
import type { Kind } from "./stories.ts";

const COURSES = sized(24, 600);
const CURRENCIES = ["USD", "JPY", "CAD"] as const;
const CARDS = {
  adyen: ["4111111111111111", "4111111111111111", "4111111111111111", "4000000000000002"],
  stripe: ["4242424242424242", "4242424242424242", "4000000000005126", "4000000000007726", "4000000000000002"],
} as const;

interface Course {
  readonly kind: Kind;
  readonly currency: (typeof CURRENCIES)[number];
  readonly id: string;
  readonly log: string[];
}

describe("random courses", () => {
  let gateway: Gateway;
  let hosts: Hosts & { stop(): Promise<void> };
  let held: Receiver;
  const processors = new Map<string, string>();
  const known = new Map<string, string>();
  const lapsed = new Set<string>();
  const delivered = new Set<string>();

  before(async () => {
    gateway = await startTestGateway();
    const [adyen, stripe] = [await testAdyenHost(), await testHost()];
    held = await startReceiver();
    stripe.webhooks.endpoint = { url: held.url, secret: WEBHOOK_SECRET };
    hosts = {
      adyen,
      stripe,
      stop: async () => {
        await Promise.all([adyen.stop(), stripe.stop()]);
      },
    };
    const { processor } = merchantOf(gateway);
    for (const currency of CURRENCIES) {
      const a = {
        ...ACCOUNT,
        base_url: adyen.baseUrl,
        capture_delay_hours: 0,
        multiple_captures: true,
        timeout_ms: 2_000,
      };
      processors.set(`adyen ${currency}`, await processor({ kind: "adyen", settings: a, currency }));
      const s = { ...stripeSettings(stripe.port), timeout_ms: 2_000 };
      processors.set(`stripe ${currency}`, await processor({ kind: "stripe", settings: s, currency }));
    }
  });
  after(async () => {
    await gateway.close();
    await hosts.stop();
    await held.close();
  });

  interface Letter {
    readonly id: string;
    readonly kind: Kind;
    readonly currency: string;
    readonly message: () => { headers: Readonly<Record<string, string>>; body: Buffer };
  }
  const currencyOf = (item: Json | undefined) => String(item ?? "usd").toUpperCase();
  const letters = (): readonly Letter[] => [
    ...hosts.adyen.items().map((item, nth) => ({
      id: `adyen ${nth}`,
      kind: "adyen" as const,
      currency: known.get(item.merchantReference.slice(0, 36)) ?? item.amount.currency,
      message: () => messageOf(item, HMAC_KEY),
    })),
    ...held.received.map(({ body }, nth) => ({
      id: `stripe ${nth}`,
      kind: "stripe" as const,
      currency: currencyOf(JSON.parse(body).data.object.currency),
      message: () => signed(Buffer.from(body), WEBHOOK_SECRET, new Date()),
    })),
  ];
  const post = async (letter: Letter) => {
    if (!processors.has(`${letter.kind} ${letter.currency}`)) return;
    delivered.add(letter.id);
    const { headers, body } = letter.message();
    const url = `${gateway.url}/notifications/${processors.get(`${letter.kind} ${letter.currency}`)}`;
    const answer = await fetch(url, { method: "POST", headers, body: new Uint8Array(body) });
    assert.equal(answer.status, 200, await answer.text());
  };
  const deliverSome = async (chance: Chance) => {
    for (const letter of letters()
      .filter(() => chance.happens(0.1))
      .map((l) => ({ l, at: chance.next() }))
      .sort((a, b) => a.at - b.at))
      await post(letter.l);
  };
  const unresolved = async (): Promise<Json[]> =>
    expectStatus(await gateway.operator("GET", "/operator/unresolved"), 200).body.unresolved;
  const misbehave = () => {
    const { adyen, stripe } = hosts;
    for (const what of ["disconnect-after", "error-after", "disconnect-before"] as const) {
      adyen.misbehave({ what, chance: 0.08, on: ["payments", "captures", "cancels", "refunds", "reversals"] });
      stripe.misbehave({ what, chance: 0.05, on: ["confirm", "capture", "cancel", "refund", "create"] });
    }
    for (const status of [400, 409, 422]) {
      adyen.misbehave({ what: "refuse-repeats", chance: 0.15, status });
      stripe.misbehave({ what: "refuse-repeats", chance: 0.1, status });
    }
    stripe.misbehave({ what: "refuse-repeats", chance: 0.1, status: 402 });
  };

  async function course(chance: Chance): Promise<Course | undefined> {
    const [kind, currency] = [chance.pick(["adyen", "stripe"] as const), chance.pick(CURRENCIES)];
    const path = chance.pick(["sale", "auth", "auth"] as const);
    const scale = amountScaleOf(currency);
    const amount = scale.render(1000);
    const travels = chance.happens(0.2);
    const passengers = travels && {
      passenger_transport: [600, 400].map((fare) => passenger({ legs: [leg({ fare: scale.render(fare) })] })),
    };
    const body = sale({
      processor_id: processors.get(`${kind} ${currency}`),
      card_number: chance.pick(CARDS[kind]),
      amount,
      ...passengers,
    });
    const answer = await gateway.post(`/api/transactions/${path}`, body);
    const id = transactionOf(answer)?.id;
    const log = [
      `${kind} ${currency} ${path}${travels ? " travels" : ""} ${answer.status} ${answer.status > 202 ? answer.text : ""}`,
    ];
    if (id === undefined) return undefined;
    known.set(id, currency);
    for (let step = 0; step < 7; step++) {
      const does = chance.below(10);
      if (does < 5) {
        const follow = chance.pick(["capture", "capture", "refund", "refund", "void", "reversal"] as const);
        const part =
          chance.happens(0.7) && !travels && follow !== "reversal"
            ? { amount: scale.render(1 + chance.below(900)) }
            : undefined;
        const { status, text } = await gateway.post(`/api/transactions/${id}/${follow}`, part);
        log.push(`${follow} ${part?.amount ?? "all"} ${status}${status === 422 ? ` ${text.slice(0, 120)}` : ""}`);
        if (status >= 500) assert.ok([503].includes(status), text);
      } else if (does < 8) {
        const told = actOfHost(kind, id, hosts, chance, lapsed);
        if (told !== "") log.push(told);
      } else if (does < 9) {
        await deliverSome(chance);
        await sleep(chance.below(1_500));
        log.push("letters");
      } else {
        const [open] = (await unresolved()).filter(({ transaction_id }) => transaction_id === id);
        if (open === undefined) continue;
        const outcome = chance.pick(["approved", "declined"] as const);
        const entered = await gateway.operator("POST", `/operator/unresolved/${open.event_id}/resolution`, {
          outcome,
          evidence: "looked at it",
          ...(outcome === "approved" && { processor_transaction_id: "ENTERED" }),
        });
        log.push(`entered ${outcome} of ${open.event_type} ${open.amount} ${entered.status}`);
      }
    }
    return { kind, currency, id, log };
  }

  async function settle(): Promise<void> {
    for (let round = 0; round < 40; round++) {
      await hosts.stripe.webhooks.arrived();
      const waiting = (await gateway.pool`select from waiting_notifications`).length;
      // Adyen cancels nothing that is captured: an operator has to look.
      const open = (await unresolved()).filter(({ given_up, remedy }) => !given_up || remedy !== "await");
      const undelivered = letters().filter(({ id }) => !delivered.has(id));
      if (waiting === 0 && open.length === 0 && undelivered.length === 0) return;
      for (const letter of undelivered) await post(letter);
      const { body } = expectStatus(await gateway.operator("GET", "/operator/clock"), 200);
      const now = new Date(new Date(body.now).getTime() + 40 * 60_000).toISOString();
      expectStatus(await gateway.operator("POST", "/operator/clock", { now }), 200);
      await sleep(700);
    }
  }

  test("the gateway has the hosts' money", async (t) => {
    misbehave();
    const chances = Array.from({ length: COURSES }, (_, nth) => chanceFrom(SEED + nth)).values();
    const courses: Course[] = [];
    const player = async () => {
      for (const chance of chances) {
        const one = await course(chance);
        if (one) courses.push(one);
      }
    };
    await Promise.all(Array.from({ length: 6 }, player));
    await hosts.adyen.behave();
    await hosts.stripe.behave();
    const chance = chanceFrom(SEED);
    await hosts.stripe.webhooks.arrived();
    const all = [...letters(), ...letters().filter(() => chance.happens(0.3))].map((letter) => ({
      letter,
      at: chance.next(),
    }));
    for (const { letter } of all.sort((a, b) => a.at - b.at)) await post(letter);
    await settle();
    const { body } = expectStatus(await gateway.get("/api/ledger?from=2001-01-01&to=2999-12-31"), 200);
    const moved = Map.groupBy(body.movements as Json[], ({ transaction_id }) => String(transaction_id));
    const wrong: string[] = [];
    const open = new Set((await unresolved()).map(({ transaction_id }) => transaction_id));
    for (const { kind, currency, id, log } of courses) {
      // What nobody but an operator can end, or what an operator entered untruly.
      if (open.has(id) || log.some((one) => one.startsWith("entered approved") && one.endsWith("201"))) continue;
      const there = leftAt(kind, id, hosts, lapsed);
      const scale = amountScaleOf(currency);
      const found = await merchantOf(gateway).found(id);
      const { actions, events } = found;
      const offered = (name: string) => (actions[name].allowed ? scale.parse(actions[name].amount) : 0);
      const net = (moved.get(id) ?? [])
        .filter(({ movement }) => movement !== "auth")
        .reduce((sum, { amount }) => sum + scale.parse(String(amount)), 0);
      const here = { held: offered("capture"), taken: net };
      const tooMuch = offered("capture") > there.held || offered("refund") > there.taken;
      if (here.held !== there.held || here.taken !== there.taken || tooMuch) {
        const notes = expectStatus(await gateway.operator("GET", `/operator/notifications?transaction_id=${id}`), 200)
          .body.notifications;
        wrong.push(
          [
            `seed ${SEED} ${kind} ${id}: host ${JSON.stringify(there)}, here ${JSON.stringify(here)}, refund ${offered("refund")}`,
            ...log.map((one) => `   ${one}`),
            ...events
              .toReversed()
              .map(
                (e: Json) =>
                  `  > ${e.event_type} ${e.amount} ${e.success} ${e.status} ${e.by_processor ?? ""} ${e.processor_message}`,
              ),
            ...notes.toReversed().map((n: Json) => `  - ${n.said} => ${n.result} ${n.why ?? ""}`),
          ].join("\n"),
        );
      }
    }
    const { notifications } = expectStatus(
      await gateway.operator("GET", "/operator/notifications?result=kept"),
      200,
    ).body;
    const whys = Map.groupBy(notifications as Json[], ({ why }) => String(why).replace(/[\d.]+/g, "N"));
    t.diagnostic([...whys].map(([why, all]) => `${all.length} kept: ${why}`).join("\n"));
    t.diagnostic(`${courses.length} courses, ${wrong.length} wrong, ${letters().length} letters`);
    assert.equal(wrong.length, 0, wrong.slice(0, 12).join("\n\n"));
  });
});
