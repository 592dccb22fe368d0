// A known path with another method is 405 and says which methods there are; Fastify alone would say 404.

import type { FastifyInstance, HTTPMethods } from "fastify";
import { baseFault } from "./request-fault.ts";

const METHODS: readonly HTTPMethods[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Call it before the routes are added; `close` after them. */
export function knownPaths(app: FastifyInstance): { close(): void } {
  const methodsOf = new Map<string, Set<HTTPMethods>>();
  let closed = false;
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
        const allow = [...methods].join(", ");
        app.route({
          method: METHODS.filter((method) => !methods.has(method)),
          url: path.slice(app.prefix.length),
          schema: { hide: true } as object,
          handler: () => {
            throw baseFault(405, `This path takes ${allow}.`, { allow });
          },
        });
      }
    },
  };
}
