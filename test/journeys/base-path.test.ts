// BASE_PATH: a proxy shows the gateway under a path of its name. Every way in works with the path and, for proxies that take it away, without;
// every way back that the gateway names has it.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { startTestGateway } from "./gateway.ts";
import { expectStatus, type Gateway, sale, transactionOf } from "./merchant.fixture.ts";

const BASE = "/payments/v2.pay";

describe("a gateway under a path", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway({ basePath: BASE, trustProxy: ["127.0.0.1"] });
  });
  after(() => gateway.close());

  /** From the host's name on. */
  const plain = async (path: string, init?: RequestInit) =>
    fetch(new URL(path, gateway.url), { redirect: "manual", ...init });

  test("its address ends in the path, in what it prints and in the sandbox's file", () => {
    assert.ok(gateway.url.endsWith(BASE), gateway.url);
    assert.equal(gateway.sandbox.base_url, gateway.url);
  });

  test("sales, lists and health checks work with the path and without it", async () => {
    for (const prefix of [BASE, ""]) {
      const headers = { authorization: `Bearer ${gateway.sandbox.api_token}`, "content-type": "application/json" };
      const body = JSON.stringify(sale());
      const sold = await plain(`${prefix}/api/transactions/sale`, { method: "POST", headers, body });
      assert.equal(sold.status, 200, prefix);
      for (const path of ["/health/ready", "/health/live", "/openapi.json", "/docs/errors"])
        assert.equal((await plain(`${prefix}${path}`)).status, 200, prefix + path);
      assert.equal((await plain(`${prefix}/api/transactions?page=1`, { headers })).status, 200);
    }
  });

  test("an idempotency key is the same request with the path and without it", async () => {
    const headers = {
      "idempotency-key": "k1",
      authorization: `Bearer ${gateway.sandbox.api_token}`,
      "content-type": "application/json",
    };
    const ask = async (prefix: string) => {
      const answer = await plain(`${prefix}/api/transactions/sale`, {
        method: "POST",
        headers,
        body: JSON.stringify(sale()),
      });
      assert.equal(answer.status, 200);
      return {
        id: transactionOf({ body: await answer.json() } as never).id,
        replayed: answer.headers.get("idempotent-replayed"),
      };
    };
    const [first, again] = [await ask(BASE), await ask("")];
    assert.deepEqual([again.id, again.replayed], [first.id, "true"]);
  });

  for (const [path, status] of [
    [BASE, 302],
    [`${BASE}/`, 302],
    [`${BASE}?x=1`, 302],
    [`${BASE}x/health/live`, 404],
    [`${BASE}//health/live`, 404],
    [`${BASE}${BASE}/health/live`, 404],
    [`${BASE.toUpperCase()}/health/live`, 404],
    ["/payments/health/live", 404],
  ] as const)
    test(`${path} is ${status}`, async () => {
      const { status: got, headers } = await plain(path, { headers: { accept: "text/html" } });
      assert.equal(got, status);
      if (status === 302) assert.equal(headers.get("location"), `${BASE}/console`);
    });

  test("every error leads to its page under the path, also one that is no HTTP", async () => {
    for (const [path, init] of [
      ["/nothing", {}],
      ["/api/transactions", {}],
      ["/api/transactions/sale", { method: "POST" }],
      ["/health/live", { method: "DELETE" }],
    ] as const) {
      const answer = await plain(`${BASE}${path}`, init);
      const [, help = ""] = /^<(\S+)#[\w-]+>; rel="help"$/.exec(answer.headers.get("link") ?? "") ?? [];
      assert.equal(help, `${BASE}/docs/errors`, path);
    }
    const raw = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1", () => socket.write("nonsense\r\n\r\n"));
      let text = "";
      socket
        .on("data", (bytes) => (text += bytes))
        .on("error", reject)
        .on("close", () => resolve(text));
    });
    assert.match(raw, new RegExp(`link: <${BASE}/docs/errors#`));
  });

  test("the OpenAPI document, the pages' documents and the first page name the path", async () => {
    const document = expectStatus(await gateway.get("/openapi.json"), 200).body;
    assert.deepEqual(document.servers, [{ url: BASE }]);
    assert.doesNotMatch(document.info.description, /\]\(\/(?!payments)/);
    for (const path of ["/docs/merchant.json", "/docs/operator.json"]) {
      const { body } = await gateway.get(path);
      assert.deepEqual(body.servers, [{ url: BASE }]);
      assert.doesNotMatch(body.info.description, /\]\(\/(?!payments)/);
    }
    const { links } = (await gateway.get("/", { token: null })).body;
    for (const link of Object.values<string>(links)) assert.ok(link.startsWith(`${BASE}/`), link);
  });

  test("each page's links, styles and scripts are under the path, and are there", async () => {
    for (const page of ["/docs", "/docs/operator", "/docs/errors", "/console", "/console/transactions/1"]) {
      const { text } = expectStatus(await gateway.get(page), 200);
      const named = [...text.matchAll(/\b(?:href|src|data-document)="(\/[^"#]*)"/g)].map(([, path = ""]) => path);
      assert.ok(named.length > 0, page);
      for (const path of named) {
        assert.ok(path.startsWith(`${BASE}/`), `${page}: ${path}`);
        assert.ok((await plain(path)).status < 400, `${page}: ${path}`);
      }
      if (page.startsWith("/console") && text.includes("assets/"))
        assert.match(text, new RegExp(`<meta name="base-path" content="${BASE}"`));
    }
  });

  test("cookies of a session are for the path alone, and bound to TLS behind it", async () => {
    const [person] = Object.values(gateway.sandbox.people);
    const body = JSON.stringify({ email: person?.email, password: person?.password });
    for (const [protocol, form] of [
      ["http", /^faregate_\w+=[^;]+; Path=\/payments\/v2\.pay\/; HttpOnly; SameSite=Strict/],
      ["https", /^__Secure-faregate_\w+=[^;]+; Path=\/payments\/v2\.pay\/; HttpOnly; SameSite=Strict; Secure/],
    ] as const) {
      const headers = {
        "content-type": "application/json",
        "x-forwarded-proto": protocol,
        "x-forwarded-for": "203.0.113.9",
      };
      const answer = await plain(`${BASE}/session`, { method: "POST", headers, body });
      assert.equal(answer.status, 201);
      const cookies = answer.headers.getSetCookie();
      assert.ok(cookies.length > 0);
      for (const cookie of cookies) assert.match(cookie, form);
      const cookie = cookies.map((one) => one.split(";")[0]).join("; ");
      assert.equal((await plain(`${BASE}/session`, { headers: { ...headers, cookie } })).status, 200);
    }
  });
});
