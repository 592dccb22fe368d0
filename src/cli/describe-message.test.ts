// `faregate describe-message`: what support sees of a message, and that neither its card number nor its CVV is in it.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { faregateProcessReading, faregateReading } from "../../test/command-line.ts";
import { chargeQuestion } from "../../test/conformance/questions.ts";
import { writtenAs } from "../processors/iso8583/codec/dialect.ts";
import { frame } from "../processors/iso8583/codec/frames.ts";
import { encodeMessage } from "../processors/iso8583/codec/message-codec.ts";
import { STANDARD } from "../processors/iso8583/dialect/standard.ts";
import { chargeMessage } from "../processors/iso8583/messages/operation-messages.ts";

const PAN = "4739158001234560";
const CVV = "9713";
const ACCEPTOR = { terminalId: "T1", merchantId: "M1", acquirerId: "1", name: "Shop", city: "Oslo", country: "NO" };
const TRACE = { mti: "0200", stan: "000042", at: new Date("2030-05-15T12:34:56Z") };
const SALE = chargeMessage(chargeQuestion("sale", { number: PAN, cvv: CVV }), ACCEPTOR, TRACE);
const HEX = encodeMessage(SALE, STANDARD).toString("hex");

describe("faregate describe-message", () => {
  const folder = mkdtempSync(join(tmpdir(), "faregate-describe-"));
  after(() => rmSync(folder, { recursive: true }));

  /** Whatever comes of it, nothing of the card is printed. */
  async function described(stdin: string, ...parameters: string[]) {
    return describedAs(faregateReading, stdin, ...parameters);
  }

  async function describedAs(run: typeof faregateReading, stdin: string, ...parameters: string[]) {
    const ended = await run(stdin, {}, "describe-message", ...parameters);
    for (const shown of [ended.stdout, ended.stderr])
      for (const secret of [
        PAN,
        CVV,
        PAN.slice(6, 12),
        Buffer.from(PAN).toString("hex"),
        Buffer.from(CVV).toString("hex"),
      ])
        assert.ok(!shown.includes(secret), shown);
    return ended;
  }

  test("prints a message from stdin, line by line, with its card masked", async () => {
    const { code, stdout, stderr } = await describedAs(faregateProcessReading, HEX);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /^0200 Financial request/);
    assert.match(stdout, /^FIELD +NAME +VALUE$/m);
    assert.match(stdout, /^2 +Primary account number +473915\*{6}4560$/m);
    assert.match(stdout, /^48\.CV +CVV +•••$/m);
    assert.match(stdout, /^11 +System trace audit number \(STAN\) +000042$/m);
  });

  test("prints those of a file, each after its length, written as is said, as JSON", async () => {
    const packed = encodeMessage(SALE, writtenAs(STANDARD, { digits: "bcd", bitmap: "hex" }));
    const one = frame(packed, { bytes: 4, encoding: "ascii" }).toString("hex").toUpperCase();
    const file = join(folder, "capture.hex");
    writeFileSync(file, `${one.slice(0, 31)}\n${one.slice(31)}\n${one}\n`);
    const how = ["--set", "digits=bcd", "--set", "bitmap=hex", "--set", "framing=ascii-4", "--framed", "--json"];
    const { code, stdout } = await described("", file, ...how);
    assert.equal(code, 0);
    const { messages } = JSON.parse(stdout);
    assert.equal(messages.length, 2);
    assert.deepEqual(messages[0], messages[1]);
    assert.deepEqual(messages[0].values[0], {
      place: "2",
      name: "Primary account number",
      value: "473915******4560",
    });
  });

  test("says in one line what is wrong, with exit code 2", async () => {
    for (const [stdin, parameters, expected] of [
      ["", [], "error: there is no message: give it as hexadecimal digits\n"],
      [`${HEX}f`, [], "error: the number of digits is odd: two digits make a byte\n"],
      [`zz${HEX}`, [], "error: digit 1 is not hexadecimal (0-9, A-F)\n"],
      ["0".repeat(1_000_001), [], "error: the input is too long: at most 1000000 digits\n"],
      [HEX.slice(0, 80), [], /^error: this is not a valid message: field \d+: the message ends early/],
      [HEX, ["--set", "digits=bcd"], /^error: this is not a valid message: /],
      [
        HEX,
        ["--kind", "simulator"],
        /^error: processors of the kind simulator have no messages .* kinds have: iso8583\n$/,
      ],
      ["", [join(folder, "nowhere")], /^error: cannot read the file .*nowhere: /],
    ] as const) {
      const { code, stdout, stderr } = await described(stdin, ...parameters);
      assert.deepEqual([code, stdout], [2, ""], stderr);
      if (typeof expected === "string") assert.equal(stderr, expected);
      else assert.match(stderr, expected);
    }
  });
});
