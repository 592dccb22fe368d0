// A capture or refund of 4.00 as command-line tools and libraries send it: it takes 4.00 or is refused, and never takes all.
// A tool that this machine lacks is skipped.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { startTestGateway, told } from "./gateway.ts";
import { type Gateway, merchantOf, NOBODY, sale } from "./merchant.fixture.ts";

const run = promisify(execFile);

const PYTHON = `
import json, sys, urllib.parse, urllib.request as u
url, token, how = sys.argv[1:]
fields = {"amount": 4}
data, more = {
  "urlencoded": (urllib.parse.urlencode(fields), {}),
  "json": (json.dumps(fields), {"Content-Type": "application/json"}),
  "unlabeled json": (json.dumps(fields), {}),
  "repr": (str(fields), {}),
  "pairs": (urllib.parse.urlencode([("data", fields)]), {}),
}[how]
request = u.Request(url, data.encode(), {"Authorization": "Bearer " + token, **more})
try: print(u.urlopen(request).status)
except urllib.error.HTTPError as error: print(error.code)
`;
const PHP = `
[, $url, $token, $how] = $argv;
$fields = ["amount" => 4];
[$type, $body] = [
  "query" => ["application/x-www-form-urlencoded", http_build_query($fields)],
  "nested" => ["application/x-www-form-urlencoded", http_build_query(["refund" => $fields])],
  "json" => ["application/json", json_encode($fields)],
  "json as form" => ["application/x-www-form-urlencoded", json_encode($fields)],
  "serialized" => ["application/x-www-form-urlencoded", serialize($fields)],
  "print_r" => ["application/x-www-form-urlencoded", print_r($fields, true)],
][$how];
$headers = "Authorization: Bearer $token\\r\\nContent-Type: $type";
file_get_contents($url, false, stream_context_create(["http" => ["method" => "POST", "header" => $headers, "content" => $body, "ignore_errors" => true]]));
echo explode(" ", $http_response_header[0])[1];
`;

describe("an amount as programs send it", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  /** The status of a refund, and what was refunded by it. */
  async function refunded(send: (url: string) => Promise<string>): Promise<string> {
    const { charged, found } = merchantOf(gateway);
    const { id } = await charged("sale", sale({ amount: "10.00" }));
    const status = (await send(`${gateway.url}/api/transactions/${id}/refund`)).trim();
    const { events } = await found(id);
    return [status, ...events.slice(0, -1).map(({ amount }: { amount: string }) => amount)].join(" ");
  }

  async function isThere(tool: string, ...options: string[]): Promise<boolean> {
    return run(tool, options).then(
      () => true,
      () => false,
    );
  }

  test("curl", async (t) => {
    if (!(await isThere("curl", "--version"))) return t.skip("curl is not on this machine");
    const form = "content-type: application/x-www-form-urlencoded";
    for (const [options, expected] of [
      [["-d", "amount=4"], "200 4.00"],
      [["-F", "amount=4"], "200 4.00"],
      [["-F", "amount=4;type=text/plain"], "200 4.00"],
      [["--data-urlencode", "amount=4"], "200 4.00"],
      [["-H", "content-type: application/json", "-d", '{"amount":4}'], "200 4.00"],
      [["-d", '{"amount":4}'], "415"],
      [["-d", "note=amount%3D4"], "422"],
      [["-d", "a=b\namount=4"], "415"],
      [["-d", "<amount>4</amount>"], "415"],
      [["--data-urlencode", "=amount=4"], "422"],
      [["--data-urlencode", "body=amount=4"], "422"],
      [["-F", "amount=4", "-H", form], "415"],
      [["-F", "note=amount=4"], "422"],
      [["-F", 'items={"amount":4}'], "422"],
      [["-H", "content-type: application/json", "-d", "amount=4"], "415"],
      [["-H", "content-type: application/json", "-d", '{"items":[{"amount":4}]}'], "422"],
      [["-X", "POST", "-G", "-d", "amount=4"], "422"],
      [["-H", "content-type:", "-d", "amount=4"], "415"],
      [["-d", "reason=returned"], "200 10.00"],
      [["-X", "POST"], "200 10.00"],
    ] as const) {
      const send = async (url: string): Promise<string> => {
        const common = [
          "-s",
          "-o",
          "/dev/null",
          "-w",
          "%{http_code}",
          "-H",
          `authorization: Bearer ${gateway.sandbox.api_token}`,
        ];
        return (await run("curl", [...common, ...options, url])).stdout;
      };
      assert.equal(await refunded(send), expected, options.join(" "));
    }
  });

  const byProgram =
    (program: string, ...options: string[]) =>
    (how: string) =>
      refunded(async (url) => (await run(program, [...options, url, gateway.sandbox.api_token, how])).stdout);

  test("Python's urllib", async (t) => {
    if (!(await isThere("python3", "--version"))) return t.skip("python3 is not on this machine");
    const refund = byProgram("python3", "-c", PYTHON);
    for (const how of ["urlencoded", "json"]) assert.equal(await refund(how), "200 4.00", how);
    assert.equal(await refund("unlabeled json"), "415");
    for (const how of ["repr", "pairs"]) assert.equal(await refund(how), "422", how);
  });

  test("PHP's streams", async (t) => {
    if (!(await isThere("php", "--version"))) return t.skip("php is not on this machine");
    const refund = byProgram("php", "-r", PHP, "--");
    for (const how of ["query", "json"]) assert.equal(await refund(how), "200 4.00", how);
    assert.equal(await refund("nested"), "422");
    for (const [how, status] of [
      ["json as form", "415"],
      ["serialized", "422"],
      ["print_r", "400"],
    ] as const)
      assert.equal(await refund(how), status, how);
  });

  test("shares without an amount take nothing, of a transaction with passengers or without", async () => {
    const { charged, follow, found } = merchantOf(gateway);
    const { id } = await charged("sale", sale({ amount: "10.00" }));
    const answer = await follow(id, "refund", { passenger_transport: [{ passenger_id: NOBODY, amount: "4.00" }] });
    assert.match(told(answer), /^422 /);
    assert.equal((await found(id)).events.length, 1);
  });
});
