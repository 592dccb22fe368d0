import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Check } from "typebox/value";
import {
  openProcessor,
  testHost,
  testRecord,
  testSettings,
  type Writing,
} from "../../../test/conformance/iso8583-subject.ts";
import { chargeQuestion, followUpQuestion, timeoutReversalQuestion } from "../../../test/conformance/questions.ts";
import { scriptedHost } from "../../../test/fixtures/scripted-host.ts";
import { CURRENCY_CODES } from "../../payment/currency.ts";
import { iso8583Kind } from "./iso8583.ts";
import { ISO8583_SETTINGS } from "./settings.ts";

const WRITING: Writing = { framing: "binary-2", digits: "ascii", bitmap: "binary" };
const LEAST = { host: "acquirer.example", port: 8583, terminal_id: "T", merchant_id: "M", acquirer_id: "1" };

function wrong(settings: Readonly<Record<string, unknown>>, currency = "USD"): string | null {
  try {
    openProcessor(testRecord(settings, currency));
    return null;
  } catch (fault) {
    assert.ok(fault instanceof TypeError);
    return fault.message.replace(/^.*\(iso8583\): /, "");
  }
}

test("settings inside their limits open, and connect nothing yet", () => {
  for (const more of [
    {},
    { connections: 16, framing: "ascii-4", digits: "bcd", bitmap: "hex", echo_interval_ms: 100 },
    { tls: true, tls_ca: "x", tls_certificate: "x", tls_key: "x", tls_server_name: "x" },
    { terminal_id: "TERM 001", merchant_id: "M".repeat(15), acquirer_id: "12345678901", merchant_name: "A & B" },
  ])
    assert.equal(wrong({ ...LEAST, ...more }), null, JSON.stringify(more));
});

test("settings outside of them do not, and a secret is not told", () => {
  for (const [settings, expected] of [
    [{ port: 0 }, "port must be >= 1."],
    [{ connections: 17 }, "connections must be <= 16."],
    [{ framing: "ascii-2" }, "framing must be equal to one of the allowed values."],
    [{ echo_interval_ms: 99 }, "echo_interval_ms must be >= 100."],
    [{ tls_key: 4711 }, "tls_key must be string."],
    [{ tpdu: "6000000000" }, "tpdu is unknown."],
  ] as const)
    assert.equal(wrong({ ...LEAST, ...settings }), expected);
  for (const settings of [
    { terminal_id: "TERM00001" },
    { terminal_id: " TERM" },
    { merchant_id: "M".repeat(16) },
    { acquirer_id: "123456789012" },
    { acquirer_id: "12A" },
    { merchant_country: "ca" },
  ])
    assert.notEqual(wrong({ ...LEAST, ...settings }), null, JSON.stringify(settings));
  const { host: _, ...withoutHost } = LEAST;
  assert.match(wrong(withoutHost) ?? "", /host/);
});

test("every currency of ISO 4217 opens, and what is none is refused at the start", () => {
  for (const currency of CURRENCY_CODES) assert.equal(wrong(LEAST, currency), null, currency);
  assert.equal(wrong(LEAST, "XXX"), "XXX is not in ISO 4217.");
});

test("every setting says what it does, none that is unknown is taken, and secrets are settings", () => {
  for (const [name, schema] of Object.entries(ISO8583_SETTINGS.properties))
    assert.ok("description" in schema && schema.description, name);
  for (const secret of iso8583Kind.secretSettings) assert.ok(secret in ISO8583_SETTINGS.properties);
  assert.equal(Check(ISO8583_SETTINGS, { ...LEAST, no_such_setting: 1 }), false);
});

test("a charge that does not fit the message format is not sent, and says which field is at fault", async () => {
  const host = await testHost(WRITING);
  const processor = openProcessor(testRecord(testSettings(host.port, WRITING)));
  const xid = "A".repeat(104);
  const threeDSecure = { xid, eci: "05", cavv: "AAAA", status: "Y", version: 2 } as const;
  const answer = await processor.charge(chargeQuestion("sale", { threeDSecure }), AbortSignal.timeout(1_000));
  assert.deepEqual(answer, { kind: "not-sent", why: "The message cannot be written: field 48.3X: not 4 to 100 long" });
  await processor.close();
  await host.stop();
});

test("a repeat goes under the numbers of its first sending, and says that it is a repeat", async () => {
  const host = await scriptedHost();
  const settings = testSettings(host.peer.port, { ...WRITING, digits: "bcd" });
  const processor = openProcessor(testRecord(settings));
  const charge = chargeQuestion("auth");
  const capture = followUpQuestion("capture", charge, null);
  const silence = () => AbortSignal.timeout(50);
  for (let times = 0; times < 3; times++) {
    assert.equal((await processor.followUp(capture, silence())).kind, "unanswered");
    assert.equal((await processor.timeoutReversal(timeoutReversalQuestion(charge), silence())).kind, "unanswered");
  }
  await processor.close();
  await host.stop();
  for (const [first, repeat] of [
    ["0220", "0221"],
    ["0420", "0421"],
  ] as const) {
    const heard = host.heard.filter(({ mti }) => mti === first || mti === repeat);
    assert.deepEqual(
      heard.map(({ mti }) => mti),
      [first, repeat, repeat],
    );
    for (const field of [7, 11, 12, 13, 37] as const)
      assert.equal(new Set(heard.map((message) => message.get(field))).size, 1, `${first}: field ${field}`);
  }
});

describe("TLS", () => {
  test("with a certificate or key of ours that is none, nothing is sent, and the answer says why", async () => {
    const host = await testHost(WRITING);
    for (const ours of [{ tls_certificate: "x" }, { tls_key: "x" }, { tls_certificate: "x", tls_key: "x" }]) {
      const processor = openProcessor(testRecord({ ...testSettings(host.port, WRITING), tls: true, ...ours }));
      const answer = await processor.charge(chargeQuestion("sale"), AbortSignal.timeout(20_000));
      assert.equal(answer.kind, "not-sent");
      assert.match(
        answer.why,
        /^No connection to the host: the connection broke: tls_certificate or tls_key cannot be used, ERR_OSSL_/,
      );
      await processor.close();
    }
    await host.stop();
  });

  const pair = selfSigned();
  const skip = pair === undefined && "no openssl here to make a certificate with";

  test("a host whose certificate is known is asked", { skip }, async () => {
    assert.ok(pair);
    const host = await testHost(WRITING, { tls: pair });
    const secured = { ...testSettings(host.port, WRITING), tls: true };
    for (const [settings, kind] of [
      [{ ...secured, tls_ca: pair.cert, tls_server_name: "acquirer.test" }, "approved"],
      // Not its name; not by anybody we know; not encrypted.
      [{ ...secured, tls_ca: pair.cert, tls_server_name: "another.test" }, "not-sent"],
      [{ ...secured, tls_server_name: "acquirer.test" }, "not-sent"],
      [{ ...secured, tls: false }, "not-sent"],
    ] as const) {
      const processor = openProcessor(testRecord(settings));
      const deadline = AbortSignal.timeout(kind === "approved" ? 20_000 : 2_000);
      assert.equal((await processor.charge(chargeQuestion("sale"), deadline)).kind, kind);
      await processor.close();
    }
    await host.stop();
  });
});

function selfSigned(): { readonly cert: string; readonly key: string } | undefined {
  const folder = mkdtempSync(join(tmpdir(), "tls-"));
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const subject = ["-subj", "/CN=acquirer.test", "-addext", "subjectAltName=DNS:acquirer.test"];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  try {
    const files = ["-days", "2", "-keyout", key, "-out", cert];
    execFileSync("openssl", ["req", "-x509", ...curve, ...subject, ...files], { stdio: "ignore" });
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
