import assert from "node:assert/strict";
import { test } from "node:test";
import type { FastifyRequest } from "fastify";
import { sessionCookies } from "./session-cookies.ts";

const withCookies = (cookie?: string) => ({ headers: { cookie } }) as FastifyRequest;

test("a session is found among any other cookies, and in live mode only under the name that needs TLS", () => {
  for (const [sent, sandbox, live] of [
    [undefined, undefined, undefined],
    ["", undefined, undefined],
    ["faregate_session=one", "one", undefined],
    ["__Host-faregate_session=one; faregate_session=two", "one", "one"],
    ["faregate_session=two;__Host-faregate_session=one", "one", "one"],
    ["a=b;  faregate_session =  one ; c=d", "one", undefined],
    ["faregate_session=one=1; faregate_session=two", "one=1", undefined],
    ["faregate_session; faregate_session=one", "one", undefined],
    ["faregate_session=", "", undefined],
    ["=faregate_session; x=faregate_session=no; xfaregate_session=no; faregate_sessions=no", undefined, undefined],
    ["faregate_device=no", undefined, undefined],
  ] as const) {
    const request = withCookies(sent);
    assert.deepEqual(
      [sessionCookies("sandbox").session(request), sessionCookies("live").session(request)],
      [sandbox, live],
      sent,
    );
  }
});
