// Whoever looks on at requests and changes nothing about them: figures, the access log, traces.

import type { FastifyInstance } from "fastify";
import type { Exchanges } from "./exchanges.ts";

/** What came on a connection and could not be read as HTTP. */
export interface Unread {
  readonly requestId: string;
  readonly status: number;
  readonly address: string | undefined;
}

export interface Onlooker {
  /** Adds its hooks; there are no routes yet. */
  watch(app: FastifyInstance, exchanges: Exchanges): void;
  unreadable(unread: Unread): void;
}

/** To be called before there are routes. @returns is told of what could not be read */
export function lookOn(
  app: FastifyInstance,
  exchanges: Exchanges,
  onlookers: readonly Onlooker[],
): Onlooker["unreadable"] {
  for (const onlooker of onlookers) onlooker.watch(app, exchanges);
  return (unread) => {
    for (const onlooker of onlookers) onlooker.unreadable(unread);
  };
}
