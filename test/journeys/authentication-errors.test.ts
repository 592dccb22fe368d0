// What is wrong with a request's authentication is told as far as that helps no attacker: by the form of what was sent, and that
// a token is revoked or expired to who holds it.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { mintSecret } from "../../src/merchants/token-secret.ts";
import { type Answer, startTestGateway } from "./gateway.ts";
import { type Gateway, merchantOf } from "./merchant.fixture.ts";

/** The texts, the challenge and where it is explained. */
const why = ({ status, headers, body }: Answer) => {
  assert.deepEqual([status, body.error.message.base, body.debug], [401, ["Not authenticated"], []]);
  const [, name] = /^<\/docs\/errors#([a-z-]+)>; rel="help"$/.exec(headers.get("link") ?? "") ?? [];
  return [name, ...body.error.message.authorization, headers.get("www-authenticate")];
};
const invalid = (text: string, error = "invalid_token") => [
  text,
  `Bearer error="${error}", error_description="Authorization ${text}"`,
];

describe("authentication gone wrong", () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await startTestGateway();
  });
  after(() => gateway.close());

  const by = (token: string, path = "/api/processors") => gateway.get(path, { token });

  test("no header, no Bearer, and what is no token are told apart", async () => {
    const { api_token } = gateway.sandbox;
    assert.deepEqual(why(await gateway.get("/api/processors", { token: null })), [
      "no-token",
      "is missing: send Authorization: Bearer <token>",
      "Bearer",
    ]);
    const notBearer = ["not-bearer", ...invalid("must be Bearer, a space and the token", "invalid_request")];
    for (const authorization of [api_token, `Basic ${api_token}`, `Bearer${api_token}`, "Bearer", "Bearer a b"])
      assert.deepEqual(
        why(await gateway.get("/api/processors", { token: null, headers: { authorization } })),
        notBearer,
      );
    const text = "holds no token of a gateway: characters are missing, added or wrong";
    for (const token of ["x", `${api_token}x`, api_token.slice(0, -1), `"${api_token}"`])
      assert.deepEqual(why(await by(token)), ["malformed-token", ...invalid(text)]);
  });

  test("two Authorization headers are refused, whatever is in them: nobody may guess which was meant", async () => {
    const { api_token, operator_token } = gateway.sandbox;
    const good = `Bearer ${api_token}`;
    const twice = ["authorization-twice", ...invalid("must be sent once", "invalid_request")];
    for (const [path, ...headers] of [
      ["/api/processors", good, "Bearer x"],
      ["/api/processors", good, good],
      ["/api/processors", "Basic x", good],
      ["/operator/merchants", `Bearer ${operator_token}`, good],
    ] as [string, ...string[]][]) {
      // Of a list Node makes as many headers.
      const sent = { AUTHORIZATION: headers as unknown as string };
      assert.deepEqual(why(await gateway.get(path, { token: null, headers: sent })), twice, headers.join());
    }
    for (const other of [{ "x-authorization": good }, { "x-signed": "authorization" }])
      assert.equal((await gateway.get("/api/processors", { headers: other })).status, 200);
  });

  test("a token of the other side is told from its form, known or not", async () => {
    const { api_token, operator_token } = gateway.sandbox;
    for (const token of [operator_token, mintSecret("operator").secret])
      assert.equal(why(await by(token))[0], "operator-token");
    for (const token of [api_token, mintSecret("live").secret])
      assert.equal(why(await by(token, "/operator/merchants"))[0], "merchant-token");
  });

  test("a guess learns that it is unknown; who holds a token learns that it was revoked or has expired", async () => {
    const merchant = merchantOf(gateway);
    assert.equal(why(await by(mintSecret("test").secret))[0], "unknown-token");
    assert.equal(why(await by(mintSecret("operator").secret, "/operator/merchants"))[0], "unknown-token");
    const brief = await merchant.token({ scopes: ["read"], expires_at: "2039-01-31T00:00:00Z" });
    const { user_id, merchant_id } = gateway.sandbox;
    const made = await gateway.operator("POST", `/operator/merchants/${merchant_id}/tokens`, {
      user_id,
      scopes: ["read"],
    });
    const { id, secret } = made.body.token;
    await gateway.operator("DELETE", `/operator/tokens/${id}`);
    assert.deepEqual(why(await by(secret)), ["revoked-token", ...invalid("holds a token that was revoked")]);
    await gateway.pool`update tokens set expires_at = created_at where expires_at is not null`;
    assert.deepEqual(why(await by(brief)), ["expired-token", ...invalid("holds a token that has expired")]);
    assert.equal(why(await by(`${secret.slice(0, -1)}~`))[0], "malformed-token");
  });
});
