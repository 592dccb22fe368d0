// Answers of the process for heavy requests that several who asked at once are given: what is short and whole is read here once, and sent
// to all. What is long goes to one of them as it is read, and the others ask for themselves.

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { joinedReads } from "../shares/joined-reads.ts";

export interface WorkersAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: IncomingMessage | Buffer;
}

/** Undefined: the worker is not there, or went away before it answered. */
type Asked = Promise<WorkersAnswer | undefined>;

export interface SharedAnswers {
  /**
   * @param name what the answer follows from
   * @param gone leaves
   * @param ask begins after this call: this one's, or that of another who asks for the same
   */
  ask(name: readonly string[], gone: AbortSignal, ask: (signal: AbortSignal) => Asked): Asked;
}

/** Some pages of a list. */
const MOST_BYTES = 1_048_576;

export function sharedAnswers(): SharedAnswers {
  const reads = joinedReads<WorkersAnswer | undefined>();
  return {
    async ask(name, gone, ask) {
      let own: WorkersAnswer | undefined;
      const answer = await reads.read(JSON.stringify(name), gone, async (allGone) => {
        own = await ask(allGone);
        if (own === undefined || isForAll(own)) return whole(own);
        if (gone.aborted) discard(own);
        return own;
      });
      // What cannot be shared is the answer to whoever asked, and to nobody else.
      return answer === undefined || answer === own || Buffer.isBuffer(answer.body) ? answer : ask(gone);
    },
  };
}

/** An error says whose request it answers, a cookie is somebody's own, and what tells no length is long. */
const isForAll = ({ status, headers }: WorkersAnswer): boolean =>
  status === 200 &&
  headers["set-cookie"] === undefined &&
  Number(headers["content-length"] ?? Number.POSITIVE_INFINITY) <= MOST_BYTES;

/** With all of its body. */
async function whole(answer: WorkersAnswer | undefined): Asked {
  if (answer === undefined || Buffer.isBuffer(answer.body)) return answer;
  const portions: Buffer[] = [];
  try {
    for await (const portion of answer.body) portions.push(portion);
  } catch {
    // The worker died: the gateway reads it itself.
    return undefined;
  }
  return { ...answer, body: Buffer.concat(portions) };
}

/** Left as it is, it would keep a connection to the worker for good. */
function discard({ body }: WorkersAnswer): void {
  if (!Buffer.isBuffer(body)) body.destroy();
}
