// A known path with another method is 405 and says which methods there are; Fastify alone would say 404.

import type { FastifyInstance, HTTPMethods } from "fastify";
import { METHODS as METHODS_OF_NODE } from "../node-http.ts";
import { baseFault, type RequestFault } from "./request-fault.ts";

const METHODS: readonly HTTPMethods[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** With one of these, what no route is for is no known path: nothing has to be looked for, however many such requests come. */
const ROUTED: ReadonlySet<string> = new Set(METHODS);

/**
 * Call it before the routes are added; `close` after them.
 * @param finding where a request goes that no route of `app` is for: `app` itself if its paths have a beginning of their own
 */
export function knownPaths(app: FastifyInstance, finding = app): { close(): void } {
  const methodsOf = new Map<string, Set<HTTPMethods>>();
  let closed = false;
  // HEAD, TRACE, and some thirty that nobody sends. With a route for each of them at each path every start would take 80 ms longer.
  finding.addHook("onRequest", ({ is404, method, url }, _reply, done) => {
    const methods = is404 && !ROUTED.has(method) ? methodsAt(url.split("?", 1)[0] ?? "", methodsOf) : undefined;
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
          method: METHODS.filter((method) => !methods.has(method)),
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

/** No path takes QUERY, but Fastify would ask for a media type before it tells so. (Older Nodes do not know it.) */
export function leaveBodiesOfQuery(app: FastifyInstance): void {
  if (METHODS_OF_NODE.includes("QUERY")) app.addHttpMethod("QUERY", { overrideExisting: true });
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
