// The bodies of attackers' requests.

import { type Json, passenger, sale } from "../journeys/merchant.fixture.ts";

/** Its own order number each time. */
let sales = 0;

export const order = (of: string): string => `${of}-${process.pid}-${++sales}`;

/** Through a record of one's own: no other merchant's processor is kept busy. */
export const saleAt = (processorId: string, over: Json = {}): Json =>
  sale({ processor_id: processorId, merchant_transaction_id: order("attack"), ...over });

export const MEGABYTE = 1_000_000;

/** As large as a body with airline data may be. */
export const largeSale = (processorId: string, note: string): Json =>
  saleAt(processorId, { amount: "100.00", passenger_transport: [passenger()], meta: { note } });
