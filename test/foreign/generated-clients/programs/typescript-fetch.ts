// The client that openapi-generator makes for TypeScript (typescript-fetch), through a merchant's day.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { Configuration, ResponseError, type Transaction, TransactionsApi } from "../client/index";

const { FAREGATE_URL: basePath, FAREGATE_TOKEN: accessToken } = process.env as Record<string, string>;
const transactions = new TransactionsApi(new Configuration({ basePath, accessToken }));

const ORDER = `order-${randomUUID()}`;
const CARD = {
  cardNumber: "4111111111111111",
  cardExpiryMonth: "12",
  cardExpiryYear: "2039",
  ipAddress: "203.0.113.7",
  merchantTransactionId: ORDER,
} as const;

const sale = await transactions.createSale({
  idempotencyKey: randomUUID(),
  sale: { ...CARD, amount: "3.56", meta: { cart: 17 } },
});
assert.equal(sale.transaction.checkoutUrl, null);
assert.deepEqual(
  sale.transaction.events.map(({ success, amount }) => [success, amount]),
  [[true, "3.56"]],
);

const declined = await transactions.createSale({ sale: { ...CARD, amount: "3.56", cardNumber: "4000000000000002" } });
const [decline] = declined.transaction.events;
assert.deepEqual([decline?.success, decline?.processorCode], [false, "05"]);

const { transaction: auth } = await transactions.createAuth({ auth: { ...CARD, amount: "10.00" } });
assert.equal(auth.actions.capture.amount, "10.00");
const unwrapped = (result: object): Transaction => {
  assert.ok("transaction" in result);
  return result.transaction as Transaction;
};
const transactionId = auth.id;
const captured = unwrapped(await transactions.captureTransaction({ transactionId, followUp: { amount: "4.00" } }));
assert.equal(captured.events[0]?.amount, "4.00");
const refunded = unwrapped(await transactions.refundTransaction({ transactionId, followUp: { amount: "1.50" } }));
assert.deepEqual(
  refunded.events.map(({ amount }) => amount),
  ["1.50", "4.00", "10.00"],
);
const { transaction: found } = await transactions.getTransaction({ transactionId });
assert.deepEqual([found.events.length, found.actions.refund.amount], [3, "2.50"]);

const page = await transactions.listTransactions({ searchMerchantTransactionId: ORDER });
assert.deepEqual([page.meta.total, page.transactions.length], [3, 3]);

const refusal = async (asked: Promise<unknown>) => {
  const fault: unknown = await asked.then(
    () => assert.fail("it was not refused"),
    (one: unknown) => one,
  );
  assert.ok(fault instanceof ResponseError, String(fault));
  return fault.response.json();
};
const { error } = await refusal(transactions.createSale({ sale: { ...CARD, amount: "0.00" } }));
assert.deepEqual([error.status, error.message.amount.length], [422, 1]);
const nothing = await refusal(transactions.getTransaction({ transactionId: randomUUID() }));
assert.equal(nothing.error.status, 404);

const { transaction: trip } = await transactions.createSale({
  sale: {
    ...CARD,
    amount: "100.00",
    passengerTransport: [
      {
        passengerName: "DOE/JANE",
        ticketNumber: "0141234567890",
        ticketIssuingCarrierName: "Air Example",
        ticketIssuingCarrierCode: "AC",
        ticketIssuingCity: "Montreal",
        ticketIssuingDate: new Date("2031-04-01"),
        legs: [
          {
            carrierCode: "AC",
            serviceClass: "Y",
            departureAirport: "YUL",
            destinationAirport: "YYZ",
            departureDate: new Date("2031-05-01"),
            fareBasis: "YLX3",
            fare: "100.00",
          },
        ],
      },
    ],
  },
});
const back = await transactions.refundTransaction({
  transactionId: trip.id,
  followUp: {
    amount: "40.00",
    passengerTransport: [{ passengerId: trip.passengers?.[0]?.id ?? "", amount: "40.00" }],
  },
});
assert.ok("passengers" in back);
assert.equal(back.passengers?.[0]?.totals.refunded, "40.00");
