// How long the largest group takes from bytes to a request that is known to be right: 100 passengers with 20 legs each, in
// each format that it fits into. No database, no HTTP. Run it with: node bin/run.mjs bench/airline.ts
// The mean of the CPU time stands beside the medians of real time: on a machine that does other things too it is the truer
// one, and too coarse to tell one round from another.

import { parseBody } from "../src/api/body/parse-body.ts";
import { parseAuth } from "../src/api/parse-charge.ts";
import { median, percentile } from "./statistics.ts";

const PASSENGERS = 100;
const ROUNDS = 100;
const WARM_UP_ROUNDS = 20;
/** Of the JSON body, read and checked. */
const TARGET_MS = 5;

const LEG = {
  carrier_code: "AC",
  service_class: "Y",
  departure_airport: "YUL",
  destination_airport: "YYZ",
  departure_date: "2031-05-01",
  flight_number: "0405",
  fare_basis: "YLX3",
};
const PASSENGER = {
  ticket_number: "0141234567890",
  ticket_issuing_carrier_name: "Air Example",
  ticket_issuing_carrier_code: "AC",
  ticket_issuing_city: "Montreal",
  ticket_issuing_date: "2031-04-01",
  passenger_name: "DOE/JANE",
  restricted_ticket_indicator: false,
};

const group = (legs: number, fare: number | string) => ({
  amount: (PASSENGERS * legs * Number(fare)).toFixed(2),
  card_number: "4111111111111111",
  card_expiry_month: "12",
  card_expiry_year: "2039",
  merchant_transaction_id: "group",
  ip_address: "203.0.113.7",
  passenger_transport: Array.from({ length: PASSENGERS }, () => ({
    ...PASSENGER,
    legs: Array.from({ length: legs }, () => ({ ...LEG, fare })),
  })),
});

const inBrackets = (value: unknown, name = ""): [string, string][] =>
  typeof value !== "object" || value === null
    ? [[name, String(value)]]
    : Object.entries(value).flatMap(([key, inner]) => inBrackets(inner, name === "" ? key : `${name}[${key}]`));

const formBody = (body: object) => new URLSearchParams(inBrackets(body)).toString();
const multipartBody = (body: object) =>
  `${inBrackets(body)
    .map(([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join("")}--x--\r\n`;

const SUBJECTS = [
  ["JSON, fares as texts", "application/json", JSON.stringify(group(20, "100.25"))],
  ["JSON, fares as numbers", "application/json", JSON.stringify(group(20, 100.25))],
  ["urlencoded, 17 legs each", "application/x-www-form-urlencoded", formBody(group(17, "100.25"))],
  ["multipart, 9 legs each", "multipart/form-data; boundary=x", multipartBody(group(9, "100.25"))],
] as const;

console.log("                              KiB   read  check    all    p95    CPU  (ms)");
for (const [name, type, text] of SUBJECTS) {
  const bytes = Buffer.from(text);
  const headers = { "content-type": type };
  const [read, check, all]: [number[], number[], number[]] = [[], [], []];
  let cpuBefore = process.threadCpuUsage();
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    if (round === 0) cpuBefore = process.threadCpuUsage();
    const start = performance.now();
    const tree = parseBody(bytes, headers);
    const isRead = performance.now();
    parseAuth(tree);
    const end = performance.now();
    if (round < 0) continue;
    read.push(isRead - start);
    check.push(end - isRead);
    all.push(end - start);
  }
  const { user, system } = process.threadCpuUsage(cpuBefore);
  const p95 = percentile(
    all.toSorted((a, b) => a - b),
    0.95,
  );
  const figures = [median(read), median(check), median(all), p95, (user + system) / 1000 / ROUNDS];
  const shown = figures.map((ms) => ms.toFixed(2).padStart(7)).join("");
  console.log(
    `${name.padEnd(28)}${Math.round(bytes.length / 1024)
      .toString()
      .padStart(5)}${shown}`,
  );
}
console.log(`Target: a median of less than ${TARGET_MS} ms for JSON.`);
