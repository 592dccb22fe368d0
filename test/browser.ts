// A browser as far as signing in needs one: it keeps cookies, and sends a session's CSRF token with each change.

import type { Answer, TestGateway } from "./journeys/gateway.ts";

export interface Browser {
  readonly call: (method: string, path: string, json?: unknown, headers?: Record<string, string>) => Promise<Answer>;
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Answer>;
  readonly signIn: (who: object, headers?: Record<string, string>) => Promise<Answer>;
  /** By name. */
  readonly cookies: Map<string, string>;
  /** Of the newest session that an answer showed. */
  csrf: string | undefined;
}

export function browser(gateway: Pick<TestGateway, "call">): Browser {
  const cookies = new Map<string, string>();
  const call: Browser["call"] = async (method, path, json, headers = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await gateway.call(method, path, {
      token: null,
      ...(json !== undefined && { json }),
      headers: {
        ...(cookie !== "" && { cookie }),
        ...(self.csrf !== undefined && method !== "GET" && { "faregate-csrf": self.csrf }),
        ...headers,
      },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    self.csrf = answer.body?.session?.csrf_token ?? self.csrf;
    return answer;
  };
  const self: Browser = {
    call,
    get: (path, headers) => call("GET", path, undefined, headers),
    signIn: (who, headers) => call("POST", "/session", who, headers),
    cookies,
    csrf: undefined,
  };
  return self;
}
