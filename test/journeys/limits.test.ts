// Every field of the tables of specification 4.1, 4.3, 4.5 and 4.6 at its limits and just past them, as JSON and as a form:
// what is wrong is named by its path and nothing else is. 3-D Secure (4.4) has a file of its own.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startTestGateway, told } from "./gateway.ts";
import { stored } from "./harmless.fixture.ts";
import {
  expectStatus,
  type Gateway,
  type Json,
  leg,
  merchantOf,
  NOBODY,
  passenger,
  sale,
  transactionOf,
} from "./merchant.fixture.ts";

type Table = readonly (readonly [field: string, right: readonly unknown[], wrong: readonly unknown[]])[];

const A = (length: number) => "A".repeat(length);
/** A character that is two in UTF-16 and four in UTF-8: it counts as one. */
const WIDE = (length: number) => "\u{1f600}".repeat(length);
const NO_TEXT = ["a\0b", "\0"];
const text = (least: number, most: number) =>
  [
    [A(least), A(most), WIDE(most), "é漢 \t'\"<%_\\"].filter(
      (value) => [...value].length >= least && [...value].length <= most,
    ),
    [
      ...(least > 1 ? [A(least - 1)] : []),
      A(most + 1),
      WIDE(most + 1),
      ...NO_TEXT.map((nul) => nul.padEnd(least, "x")),
    ],
  ] as const;
const exactly = (length: number) =>
  [
    [A(length), WIDE(length)],
    [A(length - 1) || A(length + 1), A(length + 1)],
  ] as const;
const STATE = [
  ["C", "CA", "NSW", "9", "a1B"],
  ["NSWX", "C-", " C", "É"],
] as const;
const COUNTRY = [
  ["US", "us"],
  ["U", "USA", "U1", "ÉÉ"],
] as const;
const AMOUNT = [
  ["0.01", "9999999", "9999999.00"],
  ["0", "0.00", "9999999.01", "10000000", "0.001", "-1", "x"],
] as const;
const UUID = [[], ["not-a-uuid", `${NOBODY}0`, NOBODY.slice(1), NOBODY.replaceAll("-", "")]] as const;
const DATE = [
  ["2031-05-01", "2032-02-29", "1970-01-01", "9999-12-31"],
  [
    "2031-5-1",
    "2031-02-29",
    "2031-13-01",
    "2031-00-10",
    "2031-04-31",
    "31-04-01",
    "2031/04/01",
    "2031-04-01T00:00",
    "+2031-04-1",
  ],
] as const;
const IP = [
  ["203.0.113.7", "2001:db8::7"],
  ["203.0.113.256", "x", "2001:db8::x"],
] as const;

/** Specification 4.1. */
const CHARGE: Table = [
  ["amount", ...AMOUNT],
  ["card_number", ["41111111", "4111111111111111111"], ["4111111", "41111111111111111111", "4111 1111"]],
  ["card_expiry_month", ["01", "12"], ["00", "13", "1", "001", "1a"]],
  ["card_expiry_year", ["0000", "2039", "9999"], ["39", "203", "20390", "203x"]],
  ["card_cvv", ["000", "9999"], ["12", "12345", "12x", "１２３"]],
  ["merchant_transaction_id", ...text(1, 255)],
  ["first_name", ...text(1, 255)],
  ["last_name", ...text(1, 255)],
  ["email", ...text(1, 255)],
  ["mobile_phone", ...text(1, 15)],
  ["street_address_1", ...text(1, 255)],
  ["street_address_2", ...text(1, 255)],
  ["city", ...text(1, 255)],
  ["state", ...STATE],
  ["country", ...COUNTRY],
  ["zip", ...text(2, 255)],
  ["shipping_street_address_1", ...text(1, 255)],
  ["shipping_street_address_2", ...text(1, 255)],
  ["shipping_city", ...text(1, 255)],
  ["shipping_state", ...STATE],
  ["shipping_country", ...COUNTRY],
  ["shipping_zip", ...text(2, 255)],
  ["ip_address", ...IP],
  ["document_number", ...text(11, 20)],
  ["dynamic_descripton", ...text(1, 255)],
  ["processor_id", ...UUID],
];

/** Specification 4.3, of a passenger and of a leg. */
const PASSENGER: Table = [
  ["ticket_number", ...text(1, 13)],
  ["ticket_issuing_carrier_name", ...text(1, 25)],
  ["ticket_issuing_carrier_code", ...exactly(2)],
  ["ticket_issuing_city", ...text(1, 18)],
  ["ticket_issuing_date", ...DATE],
  ["passenger_name", ...text(1, 20)],
  ["restricted_ticket_indicator", ["true", "false", "1", "0", "True", "FALSE"], ["yes", "2", "truee"]],
];
const LEG: Table = [
  ["carrier_code", ...exactly(2)],
  ["service_class", ["Y", "\u{1f600}"], ["YY"]],
  ["departure_airport", ...exactly(3)],
  ["destination_airport", ...exactly(3)],
  ["departure_date", ...DATE],
  ["flight_number", ...text(1, 4)],
  ["fare_basis", ...text(1, 15)],
  ["fare", ["0.01", "9999999", "9999999.00"], AMOUNT[1]],
];
const REQUIRED_OF_PASSENGER = PASSENGER.map(([field]) => field).filter(
  (field) => field !== "restricted_ticket_indicator",
);
const REQUIRED_OF_LEG = LEG.map(([field]) => field).filter((field) => field !== "flight_number");

const FORMATS = ["json", "form"] as const;

describe("fields at their limits", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const post = (format: "json" | "form" | "multipart", body: Json, path = "/api/transactions/auth") =>
    gateway.call("POST", path, { [format]: body });
  const airline = (amount: string, ...passengers: readonly Json[]) => sale({ amount, passenger_transport: passengers });

  test("a charge's: each is taken and echoed at its limits, and named alone past them", async () => {
    const notEchoed = ["amount", "card_number", "card_cvv", "ip_address"];
    for (const format of FORMATS)
      for (const [field, right, wrong] of CHARGE) {
        for (const value of right) {
          const answer = expectStatus(await post(format, sale({ [field]: value })), 200);
          if (!notEchoed.includes(field)) assert.equal(transactionOf(answer)[field], value, `${format} ${field}`);
        }
        for (const value of wrong)
          assert.equal(
            told(await post(format, sale({ [field]: value }))),
            `422 ${field}`,
            `${format} ${field} ${value}`,
          );
      }
  });

  test("a charge's: all past their limits at once are all named at once", async () => {
    const wrong = Object.fromEntries(CHARGE.map(([field, , [value]]) => [field, value]));
    for (const format of FORMATS)
      assert.equal(told(await post(format, wrong)), `422 ${Object.keys(wrong).sort().join(" ")}`);
  });

  test("a charge's: what is required is required on a sale, ip_address not on an auth", async () => {
    const required = "amount card_expiry_month card_expiry_year card_number ip_address merchant_transaction_id";
    for (const format of FORMATS) {
      assert.equal(told(await post(format, {}, "/api/transactions/sale")), `422 ${required}`);
      assert.equal(told(await post(format, {})), `422 ${required.replace("ip_address ", "")}`);
    }
  });

  test("a passenger's: each at its limits and past them, by its path", async () => {
    for (const format of FORMATS)
      for (const [field, right, wrong] of PASSENGER) {
        for (const value of right) {
          const body = airline("200.00", passenger(), passenger({ [field]: value }));
          const [, second] = transactionOf(expectStatus(await post(format, body), 200)).passengers;
          const expected = { true: true, 1: true, false: false, 0: false }[String(value).toLowerCase()] ?? value;
          assert.equal(second[field], expected, `${format} ${field}`);
        }
        for (const value of wrong) {
          const answer = await post(format, airline("200.00", passenger(), passenger({ [field]: value })));
          assert.equal(told(answer), `422 passenger_transport.1.${field}`, `${format} ${field} ${value}`);
        }
      }
  });

  test("a leg's: each at its limits and past them, by its path", async () => {
    for (const format of FORMATS)
      for (const [field, right, wrong] of LEG) {
        for (const value of right) {
          const body = airline(
            field === "fare" ? String(value) : "100.00",
            passenger({ legs: [leg({ [field]: value })] }),
          );
          const [first] = transactionOf(expectStatus(await post(format, body), 200)).passengers;
          const expected = field === "fare" ? Number(value).toFixed(2) : value;
          assert.equal(first.legs[0][field], expected, `${format} ${field}`);
        }
        for (const value of wrong) {
          const legs = [leg(), leg({ [field]: value })];
          const answer = await post(format, airline("300.00", passenger(), passenger({ legs })));
          assert.equal(told(answer), `422 passenger_transport.1.legs.1.${field}`, `${format} ${field} ${value}`);
        }
      }
  });

  test("a leg's: of one character it is said in the singular", async () => {
    const { body } = await post("json", airline("100.00", passenger({ legs: [leg({ service_class: "YY" })] })));
    assert.match(
      JSON.stringify(body.error.message),
      /^\{"[\w.]+\.service_class":\["must be a text of exactly 1 character"\]\}$/,
    );
  });

  test("airline data's: what is required, the ticket is unrestricted unless said, and each passenger has a leg at least", async () => {
    for (const format of FORMATS) {
      const empty = (await post(format, airline("100.00", { seat: "1A", legs: [{ seat: "1A" }] }))).body;
      assert.deepEqual(
        Object.keys(empty.error.message).sort(),
        [
          ...REQUIRED_OF_PASSENGER.map((field) => `passenger_transport.0.${field}`),
          ...REQUIRED_OF_LEG.map((field) => `passenger_transport.0.legs.0.${field}`),
        ].sort(),
      );
      const lean = {
        ...passenger({ restricted_ticket_indicator: undefined }),
        legs: [leg({ flight_number: undefined })],
      };
      const [shown] = transactionOf(expectStatus(await post(format, airline("100.00", lean)), 200)).passengers;
      assert.equal(shown.restricted_ticket_indicator, false);
      assert.ok(!("flight_number" in shown.legs[0]));
    }
    for (const [over, field] of [
      [{ passenger_transport: {} }, "passenger_transport"],
      [{ passenger_transport: "x" }, "passenger_transport"],
      [{ passenger_transport: ["x"] }, "passenger_transport.0"],
      [{ passenger_transport: [1] }, "passenger_transport.0"],
      [{ passenger_transport: [[]] }, "passenger_transport.0"],
      [{ passenger_transport: [passenger({ legs: [] })] }, "passenger_transport.0.legs"],
      [{ passenger_transport: [passenger({ legs: undefined })] }, "passenger_transport.0.legs"],
      [{ passenger_transport: [passenger({ legs: leg() })] }, "passenger_transport.0.legs"],
      [{ passenger_transport: [passenger({ legs: [leg(), 7] })] }, "passenger_transport.0.legs.1"],
    ] as const)
      assert.equal(told(await post("json", sale(over))), `422 ${field}`, JSON.stringify(over));
  });

  test("of a hundred passengers who are all wrong in nine fields a hundred fields are named, in every format", async () => {
    const [wrongPassenger, wrongLeg] = [PASSENGER, LEG].map((table) =>
      Object.fromEntries(table.map(([field, , [value]]) => [field, value])),
    );
    const fields = [
      ...PASSENGER.map(([field]) => field),
      ...["fare", "departure_date"].map((field) => `legs.0.${field}`),
    ];
    const one = { ...wrongPassenger, legs: [leg({ fare: wrongLeg?.fare, departure_date: wrongLeg?.departure_date })] };
    const expected = Array.from({ length: 100 }, (_, nth) =>
      fields.map((field) => `passenger_transport.${nth}.${field}`),
    );
    for (const format of ["json", "form", "multipart"] as const) {
      const answer = await post(format, airline("1.00", ...Array.from({ length: 100 }, () => one)));
      const { base, ...named } = answer.body.error.message;
      const names = Object.keys(named);
      assert.equal(names.length, 100, format);
      assert.deepEqual(
        names.filter((name) => !expected.flat().includes(name)),
        [],
      );
      assert.match(base[0], /^There are more wrong fields than are named here/, format);
    }
  });

  test("more than a thousand wrong fields are still one 422, of a bounded size", async () => {
    const wrongLeg = Object.fromEntries(LEG.map(([field, , [value]]) => [field, value]));
    const one = passenger({ legs: Array.from({ length: 10 }, () => wrongLeg) });
    const answer = await post("json", airline("1.00", ...Array.from({ length: 100 }, () => one)));
    assert.equal(answer.status, 422);
    assert.ok(Object.keys(answer.body.error.message).length === 101 && answer.text.length < 32_768);
  });

  test("a follow-up's: each at its limits and past them, and nothing is stored for what is wrong", async () => {
    const { charged, follow } = merchantOf(gateway);
    const { id, passengers } = await charged("auth", airline("200.00", passenger(), passenger()));
    const [first, second] = passengers;
    const before = await stored(gateway.pool);
    for (const format of FORMATS) {
      const send = (body: Json) => follow(id, "capture", undefined, { [format]: body });
      const share = (over: Json) => ({ passenger_id: first.id, amount: "1.00", ...over });
      for (const [field, right, wrong] of [
        ["amount", ...AMOUNT],
        ["ip_address", ...IP],
      ] as const) {
        for (const value of wrong)
          assert.equal(
            told(await send({ amount: "1.00", passenger_transport: [share({})], [field]: value })),
            `422 ${field}`,
          );
        // Fine by itself: what the rules say of it comes after, but for more than is left.
        for (const value of right) {
          const { message } = (
            await send({ amount: "1.00", passenger_transport: [share({ passenger_id: NOBODY })], [field]: value })
          ).body.error;
          const isTooMuch = field === "amount" && Number(value) > 200;
          const named = ["passenger_transport.0.passenger_id", ...(isTooMuch ? ["amount"] : [])];
          assert.deepEqual(Object.keys(message), named, `${field} ${value}`);
        }
      }
      for (const [field, values] of [
        ["passenger_id", UUID[1]],
        ["amount", AMOUNT[1]],
      ] as const)
        for (const value of values) {
          const shares = [share({}), share({ passenger_id: second.id, [field]: value })];
          const answer = await send({ amount: "2.00", passenger_transport: shares });
          assert.equal(told(answer), `422 passenger_transport.1.${field}`, `${format} ${field} ${value}`);
        }
      const empty = await send({ amount: "1.00", passenger_transport: [{ seat: 1 }, { seat: 2 }] });
      const named = [0, 1].flatMap((nth) => [
        `passenger_transport.${nth}.amount`,
        `passenger_transport.${nth}.passenger_id`,
      ]);
      assert.equal(told(empty), `422 ${named.join(" ")}`);
    }
    assert.equal(
      told(await follow(id, "capture", { amount: "1.00", passenger_transport: [] })),
      "422 passenger_transport",
    );
    assert.deepEqual(await stored(gateway.pool), before);
  });

  test("a follow-up's amount goes up to 9999999, of which nothing is left then", async () => {
    const { charged, follow } = merchantOf(gateway);
    const { id } = await charged("auth", sale({ amount: 9_999_999 }));
    expectStatus(await follow(id, "capture", { amount: "0.01" }), 200);
    expectStatus(await follow(id, "capture", { amount: "9999998.99" }), 200);
    assert.equal(told(await follow(id, "capture", { amount: "0.01" })), "422 amount");
    expectStatus(await follow(id, "refund", { amount: "9999999.00" }), 200);
  });

  test("a list's filters: as long as what is stored may be, and past that named by their path", async () => {
    const dates = ["created_at_gte", "created_at_lte", "updated_at_gte", "updated_at_lte"];
    const table: Table = [
      ...["merchant_transaction_id", "first_name", "last_name", "email", "city", "shipping_city"].map(
        (field) => [field, ...text(1, 255)] as const,
      ),
      ...["zip", "shipping_zip"].map((field) => [field, ...text(2, 255)] as const),
      ["mobile_phone", ...text(1, 15)],
      ["state", ...STATE],
      ["shipping_state", ...STATE],
      ["user_id", [NOBODY, NOBODY.toUpperCase()], UUID[1]],
      [
        "card_number",
        ["411111********"],
        ["4111111111111111", "411111*******", "411111*********", "41111*********", "411111", "411111******1111"],
      ],
      ...dates.map(
        (field) =>
          [
            field,
            ["2031-05-01 00:00:00", "2032-02-29 23:59:59", "0000-01-01 00:00:00", "9999-12-31 23:59:59"],
            [
              "2031-05-01",
              "2031-02-30 00:00:00",
              "2031-05-01 24:00:00",
              "2031-05-01 00:60:00",
              "2031-05-01T00:00:00",
              "yesterday",
              "2031-5-1 0:0:0",
            ],
          ] as const,
      ),
    ];
    for (const [field, right, wrong] of table) {
      const list = (value: unknown) =>
        gateway.get(`/api/transactions?${new URLSearchParams({ [`search[${field}]`]: String(value) })}`);
      for (const value of right) expectStatus(await list(value), 200);
      for (const value of wrong) assert.equal(told(await list(value)), `422 search.${field}`, `${field} ${value}`);
    }
    const all = table.map(([field, , [value]]): [string, string] => [`search[${field}]`, String(value)]);
    const names = table.map(([field]) => `search.${field}`).sort();
    assert.equal(told(await gateway.get(`/api/transactions?${new URLSearchParams(all)}`)), `422 ${names.join(" ")}`);
  });
});
