// The history of a shop for the console's pictures: a month of sales, the same at each run, with what goes wrong in one. The sandbox's
// clock is moved over it, so the last day stands at an afternoon, its Canadian batch still being collected.

import {
  expectStatus,
  type FollowUpPath,
  type Gateway,
  type Json,
  leg,
  merchantOf,
  passenger,
  sale,
  THREE_D_SECURE,
} from "../journeys/merchant.fixture.ts";
import { until } from "../receiver.ts";
import { drawFrom } from "./draw.ts";

const FIRST_DAY = Date.UTC(2031, 4, 1);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 30;
const CHARGES_A_DAY = 14;
/** Of the last day. */
const NOW = new Date(FIRST_DAY + (DAYS - 1) * DAY_MS + (16 * 60 + 20) * 60_000);

const PAYERS = [
  ["Ada", "Lovelace", "GB"],
  ["Grace", "Hopper", "US"],
  ["Jean", "Bartik", "US"],
  ["Katherine", "Johnson", "US"],
  ["Alan", "Turing", "GB"],
  ["Barbara", "Liskov", "US"],
  ["Hedy", "Lamarr", "AT"],
  ["Radia", "Perlman", "US"],
] as const;
const HOMES = {
  GB: { street_address_1: "1 Main Street", city: "London", zip: "N1 9GU", country: "GB" },
  US: { street_address_1: "1 Main Street", city: "Boston", zip: "02108", country: "US" },
  AT: { street_address_1: "Ringstrasse 1", city: "Vienna", zip: "1010", country: "AT" },
} as const;
/** As often as they stand here. */
const CARDS = [
  ...["4111111111111111", "4012888888881881", "4111111111111111", "4000000000000010", "5555555555554444"],
  ...["5105105105105100", "378282246310005", "6011111111111117"],
];
const DECLINED = ["4000000000000002", "4000000000000002", "4000000000009995", "4000000000009995", "4000000000000069"];

const dayOf = (instant: number | Date): string => new Date(instant).toISOString().slice(0, 10);

/** Where the pictures are taken. */
export interface Shop {
  readonly flight: string;
  readonly declined: string;
  readonly dispute: string;
  readonly batch: string;
  readonly person: string;
  readonly merchant: string;
  readonly processor: string;
}

/** @param hears an address that webhooks of the last hours go to */
export async function openShop(gateway: Gateway, hears: string): Promise<Shop> {
  const draw = drawFrom(1);
  const shop = shopOf(gateway, draw);
  await shop.setUp();
  for (let day = 0; day < DAYS - 1; day++) await shop.trade(new Date(FIRST_DAY + day * DAY_MS), CHARGES_A_DAY);
  await shop.moveTo(new Date(NOW.getTime() - 9 * HOUR_MS));
  const dispute = await shop.dispute();
  await shop.trade(new Date(NOW.getTime() - 8.5 * HOUR_MS), CHARGES_A_DAY, 6 * HOUR_MS);
  const declined = await shop.decline();
  await shop.runIntoDoubt();
  await shop.tell(hears);
  const flight = await shop.fly(new Date(NOW.getTime() - 2 * HOUR_MS));
  await shop.moveTo(NOW);
  await shop.addUp();
  return { flight, declined, dispute, ...(await shop.look()) };
}

function shopOf(gateway: Gateway, draw: ReturnType<typeof drawFrom>) {
  const merchant = merchantOf(gateway);
  const { merchant_id: merchantId, processors } = gateway.sandbox;
  let orders = 1_000;
  const order = () => {
    const [first_name, last_name, country] = draw.one(PAYERS);
    const email = `${first_name}.${last_name}@example.com`.toLowerCase();
    return {
      ...{ merchant_transaction_id: `order-${++orders}`, first_name, last_name, email },
      ...{ card_number: draw.one(draw.chance(0.06) ? DECLINED : CARDS), card_cvv: "123", amount: draw.amount(5, 480) },
      ...HOMES[country],
    };
  };
  const moveTo = async (instant: Date) => {
    expectStatus(await gateway.operator("POST", "/operator/clock", { now: instant.toISOString() }), 200);
  };
  const followed = async (id: string, path: FollowUpPath, json: Json = {}) =>
    expectStatus(await merchant.follow(id, path, json), 200);

  /** What may still be given back, in part. */
  const settled: { readonly id: string; readonly amount: string }[] = [];

  /** One charge; some are captured later, some voided, some of an earlier day refunded. */
  async function charge(): Promise<void> {
    const canadian = draw.chance(0.3) ? { processor_id: processors.cad } : {};
    const path = draw.chance(0.2) ? "auth" : "sale";
    const { id, events } = await merchant.charged(path, sale({ ...order(), ...canadian }));
    const [{ success, amount }] = events;
    if (!success) return;
    if (path === "auth" && draw.chance(0.8)) await followed(id, "capture");
    else if (path === "sale" && draw.chance(0.05)) await followed(id, "void");
    else if (path === "sale") settled.push({ id, amount });
    if (settled.length > CHARGES_A_DAY && draw.chance(0.08)) await giveBack();
  }

  async function giveBack(): Promise<void> {
    const [oldest] = settled.splice(0, 1 + draw.below(4));
    if (oldest !== undefined) await followed(oldest.id, "refund", { amount: (Number(oldest.amount) / 2).toFixed(2) });
  }

  return {
    moveTo,
    setUp: async () => {
      await moveTo(new Date(FIRST_DAY));
      const [one, other] = [processors.usd, processors.usd_backup];
      for (const [id, name] of [
        [one, "Riverside USD"],
        [other, "Harbour USD"],
        [processors.cad, "Maple CAD"],
      ] as const)
        expectStatus(await gateway.operator("PATCH", `/operator/processors/${id}`, { name }), 200);
      const rules = [
        {
          name: "Large amounts",
          when: { amount_at_least: "300.00", currencies: ["USD"] },
          processors: [{ id: one, weight: 1 }],
        },
        {
          name: "Visa and Mastercard from Europe",
          when: { brands: ["visa", "mastercard"], countries: ["GB", "AT", "DE"] },
          processors: [
            { id: one, weight: 1 },
            { id: other, weight: 3 },
          ],
        },
      ];
      const path = `/operator/merchants/${merchantId}/routing`;
      expectStatus(await gateway.operator("PATCH", path, { rules, attempts_at_most: 2, version: 0 }), 200);
    },
    /** A day's charges, spread over `span`. */
    trade: async (from: Date, count: number, span = 20 * HOUR_MS) => {
      const busy = from.getUTCDay() % 6 === 0 ? 0.6 : 0.8 + draw.below(50) / 100;
      const charges = Math.round(count * busy);
      for (let nth = 0; nth < charges; nth++) {
        if (nth % 4 === 0) await moveTo(new Date(from.getTime() + (span * nth) / charges));
        await charge();
      }
    },
    /** An overview adds up some days at once and says how far it has come: over a month, it is asked more than once. */
    addUp: async () => {
      const days = `from=${dayOf(FIRST_DAY)}&to=${dayOf(NOW)}`;
      for (const currency of ["USD", "CAD"])
        await until(`an overview in ${currency} up to now`, async () => {
          const { body } = expectStatus(await gateway.get(`/api/overview?${days}&currency=${currency}`), 200);
          return new Date(body.overview.as_of) >= NOW;
        });
    },
    look: async () => {
      const { batches } = expectStatus(await gateway.get("/api/batches"), 200).body;
      const { people } = expectStatus(
        await gateway.operator("GET", `/operator/merchants/${merchantId}/people`),
        200,
      ).body;
      const ids = { batch: batches[0].id as string, person: people[0].id as string, merchant: merchantId };
      return { ...ids, processor: processors.usd ?? "" };
    },
    tell: async (url: string) => {
      expectStatus(await gateway.operator("POST", `/operator/merchants/${merchantId}/webhooks`, { url }), 201);
    },
    decline: async () =>
      (await merchant.charged("sale", sale({ ...order(), card_number: "4000000000000002" }))).id as string,
    /** A capture that the processor never answers. */
    runIntoDoubt: async () => {
      const silent = await merchant.processor({
        name: "Harbour airline",
        settings: { silent_operations: ["capture"], timeout_ms: 100 },
      });
      const { id } = await merchant.charged("auth", sale({ ...order(), card_number: CARDS[0], processor_id: silent }));
      expectStatus(await merchant.follow(id, "capture"), 202);
    },
    dispute: async () => {
      const { id } = await merchant.charged("sale", sale({ ...order(), card_number: CARDS[3], amount: "189.90" }));
      const entered = {
        ...{ transaction_id: id, amount: "189.90", amount_withdrawn: "189.90", stage: "chargeback" },
        ...{ status: "needs_response", reason_code: "4853", reason: "Goods or services not provided" },
        respond_by: "2031-06-12T23:59:59Z",
      };
      const path = `/operator/merchants/${merchantId}/disputes`;
      return expectStatus(await gateway.operator("POST", path, entered), 201).body.dispute.id as string;
    },
    /** A family's trip there and back: captured, and one traveller's leg refunded. */
    fly: async (at: Date) => {
      await moveTo(at);
      const legs = (fare: string) => [
        leg({ fare, departure_date: "2031-07-04" }),
        leg({
          fare,
          departure_airport: "YYZ",
          destination_airport: "YVR",
          flight_number: "0117",
          departure_date: "2031-07-04",
        }),
      ];
      const booked = await merchant.charged("auth", {
        ...sale({ ...order(), card_number: CARDS[0], amount: "1180.50", merchant_transaction_id: "booking-77" }),
        ...{ first_name: "Jane", last_name: "Doe", email: "jane@example.com", ...THREE_D_SECURE },
        passenger_transport: [
          passenger({ legs: legs("310.25") }),
          passenger({ passenger_name: "DOE/JOHN", ticket_number: "0141234567891", legs: legs("280.00") }),
        ],
      });
      const [jane] = booked.passengers;
      const shares = booked.passengers.map(({ id }: { readonly id: string }, nth: number) => ({
        passenger_id: id,
        amount: nth === 0 ? "620.50" : "560.00",
      }));
      await moveTo(new Date(at.getTime() + 0.2 * HOUR_MS));
      await followed(booked.id, "capture", { amount: "1180.50", passenger_transport: shares });
      await moveTo(new Date(at.getTime() + 0.7 * HOUR_MS));
      await followed(booked.id, "refund", {
        amount: "310.25",
        passenger_transport: [{ passenger_id: jane.id, amount: "310.25" }],
      });
      return booked.id as string;
    },
  };
}
