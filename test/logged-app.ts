// A server of Fastify's whose log can be read: for tests of what a fault leaves there. Closed after the test.

import { Writable } from "node:stream";
import type { TestContext } from "node:test";
import Fastify, { type FastifyBaseLogger, LogController } from "fastify";
import pino from "pino";

export interface LogLine {
  /** pino's. */
  readonly level: number;
  readonly msg: string;
  readonly [fact: string]: unknown;
}

export function loggedApp(t: TestContext) {
  const logged: LogLine[] = [];
  const stream = new Writable({
    write: (line, _, done) => {
      logged.push(JSON.parse(String(line)));
      done();
    },
  });
  const log: FastifyBaseLogger = pino(stream);
  const app = Fastify({ loggerInstance: log, logController: new LogController({ disableRequestLogging: true }) });
  t.after(() => app.close());
  return { app, log, logged };
}

const INFO = 30;

/** What was logged as a warning or worse. */
export const alarms = (logged: readonly LogLine[]): readonly string[] =>
  logged.filter(({ level }) => level > INFO).map(({ msg }) => msg);
