// A known path with another method is 405 and says which methods there are; Fastify alone would say 404.

import type { FastifyInstance, HTTPMethods } from "fastify";
import { METHODS as READ_BY_NODE } from "../node-http.ts";
import { baseFault, type RequestFault } from "./request-fault.ts";

/** Each of them has a route at each known path, so a 404 with one of them needs no look for other methods. */
const ROUTED: readonly HTTPMethods[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const IS_ROUTED: ReadonlySet<string> = new Set(ROUTED);

/**
 * Call it before the routes are added; `close` after them.
 * @param unrouted the instance whose hooks run for a request without a route: the root, unless `app` has a prefix of its own
 */
export function knownPaths(app: FastifyInstance, unrouted = app): { close(): void } {
  const methodsOf = new Map<string, Set<HTTPMethods>>();
  let closed = false;
  // HEAD, TRACE, and some thirty that nobody sends: routes for them too would make every start 80 ms longer.
  unrouted.addHook("onRequest", ({ is404, method, url }, _reply, done) => {
    const methods = is404 && !IS_ROUTED.has(method) ? methodsAt(url.split("?", 1)[0] ?? "", methodsOf) : undefined;
    done(methods && notTaken(methods));
  });
  app.addHook("onRoute", ({ path, method }) => {
    if (closed) return;
    const methods = methodsOf.get(path) ?? new Set();
    for (const one of [method].flat()) methods.add(one as HTTPMethods);
    methodsOf.set(path, methods);
  });
  return {
    close: () => {
      closed = true;
      for (const [path, methods] of methodsOf) {
        const fault = notTaken(methods);
        app.route({
          method: ROUTED.filter((method) => !methods.has(method)),
          url: path.slice(app.prefix.length),
          schema: { hide: true } as object,
          handler: () => {
            throw fault;
          },
        });
      }
    },
  };
}

/** No path takes QUERY, but Fastify would refuse it for its media type before a hook can answer 405. (Older Nodes do not know it.) */
export function leaveBodiesOfQuery(app: FastifyInstance): void {
  if (READ_BY_NODE.includes("QUERY")) app.addHttpMethod("QUERY", { overrideExisting: true });
}

function notTaken(methods: ReadonlySet<HTTPMethods>): RequestFault {
  const allow = [...methods].join(", ");
  return baseFault(405, `This path takes ${allow}.`, { allow });
}

/** Undefined if it is no known path. */
function methodsAt<T>(path: string, methodsOf: ReadonlyMap<string, T>): T | undefined {
  const parts = path.split("/");
  for (const [known, methods] of methodsOf) if (isAt(known.split("/"), parts)) return methods;
  return undefined;
}

const isAt = (known: readonly string[], parts: readonly string[]): boolean =>
  known.length === parts.length &&
  known.every((part, index) => part === parts[index] || (part.startsWith(":") && parts[index] !== ""));
