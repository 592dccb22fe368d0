// Airline data has a bound of its own on how many values it has, the same in every format.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Field, treeOfFields } from "./brackets.ts";
import { readJsonObject } from "./json.ts";

const LEG_FIELDS = [
  "carrier_code",
  "service_class",
  "departure_airport",
  "destination_airport",
  "departure_date",
  "flight_number",
  "fare_basis",
  "fare",
];
const leg = () => Object.fromEntries(LEG_FIELDS.map((field) => [field, "1"]));
const passengers = (count: number, legs: number) =>
  Array.from({ length: count }, (_, i) => ({ ticket_number: String(i), legs: Array.from({ length: legs }, leg) }));
const beside = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "1"]));

function flat(value: unknown, name = ""): Field[] {
  if (typeof value !== "object" || value === null) return [[name, String(value)]];
  return Object.entries(value).flatMap(([key, inner]) => flat(inner, name ? `${name}[${key}]` : key));
}

const READERS = {
  json: (body: object) => readJsonObject(JSON.stringify(body)),
  form: (body: object) => treeOfFields(flat(body)),
};

for (const [format, read] of Object.entries(READERS)) {
  test(`${format}: 100 passengers with 20 legs each fit, and 10,000 other fields beside them`, () => {
    const body = { passenger_transport: passengers(100, 20), ...beside(10_000) };
    assert.equal(JSON.stringify(read(body)), JSON.stringify(body));
  });

  test(`${format}: one field more beside them is refused, and so are 40,001 values of airline data`, () => {
    const few = { passenger_transport: passengers(1, 1) };
    assert.throws(() => read({ ...few, ...beside(10_001) }), { status: 413 });
    assert.throws(() => read({ passenger_transport: [Array.from({ length: 40_001 }, () => "1")] }), { status: 413 });
    assert.ok(read({ passenger_transport: [Array.from({ length: 40_000 }, () => "1")] }));
  });
}
