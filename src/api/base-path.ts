// BASE_PATH: a proxy shows the gateway under a path of a name that others share. Requests come with it or, where the proxy takes it away,
// without; what leads back to the gateway has it.

import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyInstance {
    /** `/pay`, or an empty text. */
    basePath?: string;
  }
}

/** To be called before any route is added. */
export function knowBasePath(app: FastifyInstance, basePath: string): void {
  app.decorate("basePath", basePath);
}

/** For the server's options. Nothing where there is no base path, so that nothing is done. */
export const basePathOptions = (basePath: string): { readonly rewriteUrl?: (request: IncomingMessage) => string } =>
  basePath === "" ? {} : { rewriteUrl: ({ url = "/" }) => addressWithin(basePath, url) };

/** `/pay/api?x=1` is `/api?x=1`, `/pay` is `/`, and `/payments` is what it is. */
function addressWithin(basePath: string, url: string): string {
  if (!url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest === "" || rest.startsWith("?")) return `/${rest}`;
  return rest.startsWith("/") ? rest : url;
}

/** A page of the gateway's own, whose links and files are under the base path. */
export const pageUnder = (basePath: string, html: string): string =>
  basePath === "" ? html : html.replaceAll(/\b(href|src|data-document)="\/(?!\/)/g, `$1="${basePath}/`);

/** Markdown, whose links are. */
export const textUnder = (basePath: string, markdown: string): string =>
  basePath === "" ? markdown : markdown.replaceAll("](/", `](${basePath}/`);
