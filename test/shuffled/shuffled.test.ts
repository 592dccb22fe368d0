// Webhooks of both kinds over HTTP, on two gateways with one database: in random order and multiplicity they end in the state in which
// they end when each comes once and in order. `npm run simulate -- test/shuffled` sends ten thousand.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { AdyenHost } from "../../hosts/adyen/host.ts";
import type { Host as StripeHost } from "../../hosts/stripe/host.ts";
import { ACCOUNT, testAdyenHost } from "../conformance/adyen-subject.ts";
import { stripeSettings, testHost, WEBHOOK_SECRET } from "../conformance/stripe-subject.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  merchantOf,
  sale,
  transactionOf,
} from "../journeys/merchant.fixture.ts";
import { type Installation, newInstallation } from "../journeys/nodes.fixture.ts";
import { SEED, sized } from "../random.ts";
import { type Receiver, startReceiver } from "../receiver.ts";
import { chanceFrom } from "../simulation/chance.ts";
import { deliver, type Letter, lettersOf, shuffled } from "./letters.ts";
import { type Kind, type Shop, STORIES, type Story } from "./stories.ts";

/** Of each story, beside the one that is told in order. */
const REPEATS = sized(1, 40);
const MESSAGES = sized(200, 10_000);
const PERIOD = "from=2001-01-01&to=2999-12-31";

describe("webhooks in random order and multiplicity", () => {
  const chance = chanceFrom(SEED);
  let installation: Installation;
  let nodes: readonly [Gateway, Gateway];
  let adyen: AdyenHost;
  let stripe: StripeHost;
  let held: Receiver;
  const processors = {} as Record<Kind, string>;

  before(async () => {
    installation = await newInstallation();
    nodes = [await installation.startNode(), await installation.startNode()];
    [adyen, stripe, held] = [await testAdyenHost(), await testHost(), await startReceiver()];
    const { processor } = merchantOf(nodes[0]);
    processors.adyen = await processor({
      kind: "adyen",
      settings: { ...ACCOUNT, base_url: adyen.baseUrl, capture_delay_hours: 0, multiple_captures: true },
    });
    processors.stripe = await processor({ kind: "stripe", settings: stripeSettings(stripe.port) });
    stripe.webhooks.endpoint = { url: held.url, secret: WEBHOOK_SECRET };
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await Promise.all([adyen.stop(), stripe.stop(), held.close()]);
    await installation.remove();
  });

  const eitherNode = (): Gateway => chance.pick([...nodes] as [Gateway, Gateway]);
  const shop = (): Shop => ({
    adyen,
    stripe,
    charge: async (kind, path, card_number) => {
      const body = sale({ processor_id: processors[kind], card_number, amount: "10.00" });
      return transactionOf(expectStatus(await nodes[0].post(`/api/transactions/${path}`, body), 200)).id;
    },
    follow: async (id, path, amount) => {
      const answer = await nodes[0].post(`/api/transactions/${id}/${path}`, amount && { amount });
      assert.ok([200, 202].includes(answer.status), answer.text);
    },
  });

  async function lived(stories: readonly Story[]): Promise<readonly { readonly story: Story; readonly id: string }[]> {
    const left = stories.values();
    const all: { readonly story: Story; readonly id: string }[] = [];
    const shopper = async () => {
      for (const story of left) all.push({ story, id: await story.live(shop()) });
    };
    await Promise.all(Array.from({ length: 8 }, shopper));
    return all;
  }

  async function post({ kind, message }: Letter): Promise<void> {
    const { headers, body } = message();
    const url = `${eitherNode().url}/notifications/${processors[kind]}`;
    const answer = await fetch(url, { method: "POST", headers, body: new Uint8Array(body) });
    assert.equal(answer.status, 200, await answer.text());
  }

  const count = async (query: string): Promise<number> =>
    expectStatus(await nodes[0].operator("GET", `/operator/notifications?${query}`), 200).body.meta.total;

  /** As long as they get fewer. */
  async function applied(): Promise<void> {
    let [least, since] = [Number.POSITIVE_INFINITY, performance.now()];
    for (;;) {
      const waiting = await count("result=waiting");
      if (waiting === 0) return;
      if (waiting < least) [least, since] = [waiting, performance.now()];
      if (performance.now() - since > 20_000) assert.fail(`${waiting} notifications are not applied`);
      await sleep(100);
    }
  }

  test("they end in the same state as each once and in order", async (t) => {
    const [control, others] = [await lived(STORIES), await lived(Array(REPEATS).fill(STORIES).flat())];
    const inOrder = new Set(control.map(({ id }) => id));
    await stripe.webhooks.arrived();
    const letters = lettersOf(shop(), held);
    for (const letter of letters.filter(({ transaction }) => inOrder.has(transaction))) await post(letter);
    await applied();
    const each = await count("");
    const rest = letters.filter(({ transaction }) => !inOrder.has(transaction));
    const since = performance.now();
    await deliver(shuffled(rest as [Letter, ...Letter[]], MESSAGES, chance), post);
    const delivered = performance.now();
    await applied();
    const end = performance.now();
    assert.equal(await count(""), each * (1 + REPEATS), "each is kept once");

    const expected = new Map<Story, unknown>();
    const moved = await movements();
    for (const { story, id } of control) expected.set(story, await stateOf(story, id, moved));
    for (const { story, id } of others)
      assert.deepEqual(await stateOf(story, id, moved), expected.get(story), `${story.kind}: ${story.name} ${id}`);
    const results = await Promise.all(RESULTS.map(async (result) => `${await count(`result=${result}`)} ${result}`));
    t.diagnostic(
      `${MESSAGES} webhooks, ${rest.length} different ones, about ${others.length} transactions: taken in ` +
        `${seconds(delivered - since)} s, applied ${seconds(end - delivered)} s later; with those in order ${results.join(", ")}`,
    );
  });

  const seconds = (ms: number): string => (ms / 1000).toFixed(1);

  async function movements(): Promise<ReadonlyMap<string, readonly Json[]>> {
    const { body } = expectStatus(await nodes[0].get(`/api/ledger?${PERIOD}`), 200);
    return Map.groupBy(body.movements as Json[], ({ transaction_id }) => String(transaction_id));
  }

  /** All of it that does not name this transaction or a time. */
  async function stateOf({ byMoney }: Story, id: string, moved: ReadonlyMap<string, readonly Json[]>): Promise<Json> {
    const { events, disputes = [], actions } = await merchantOf(nodes[1]).found(id);
    const sums: Record<string, number> = {};
    for (const { movement, currency, amount } of moved.get(id) ?? []) {
      const name = `${movement} ${currency}`;
      sums[name] = (sums[name] ?? 0) + Math.round(Number(amount) * 100);
    }
    const left = ["capture", "void", "refund"].map((action) => actions[action].amount ?? actions[action].allowed);
    return {
      left,
      ...(!byMoney && { events: events.map((event: Json) => without(asIfUnseen(event), OWN_OF_EVENTS)) }),
      disputes: disputes.map((dispute: Json) => without(dispute, OWN_OF_DISPUTES)),
      moved: Object.entries(sums).filter(([, sum]) => sum !== 0),
    };
  }
});

const RESULTS = ["applied", "known", "kept"] as const;

const OWN_OF_EVENTS = ["id", "created_at", "updated_at", "processor_id", "processor_transaction_id", "auth_code"];
const OWN_OF_DISPUTES = [
  ...["id", "transaction_id", "event_id", "processor_dispute_id", "processor_id"],
  ...["opened_at", "created_at", "updated_at", "respond_by"],
];
const without = (given: Json, names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));

/**
 * The order decides whether a failed operation was shown as approved before, and which of Stripe's two messages of an expiry gave its words.
 */
const asIfUnseen = (event: Json): Json => ({
  ...event,
  ...(/^(EXPIRED|CANCELED AUTOMATIC)$/.test(String(event.processor_message)) && { processor_message: "EXPIRED" }),
  ...(event.processor_code_detail === "Approved at first, and failed after all" && { processor_code_detail: null }),
});
