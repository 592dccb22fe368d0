// What node:test says in a worker process, told to the runner. Prints nothing.

import { AssertionError } from "node:assert";
import { Transform } from "node:stream";
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";
import type { Failure, FromWorker } from "./messages.ts";

type Failed = Extract<TestEvent, { type: "test:fail" }>["data"];

type Named = Pick<Failed, "name" | "nesting" | "testId" | "parentId">;

/** The file itself is the test at this depth. */
const FILE = 0;

/** Of each test by its number, from the outermost inwards, without the file. */
const names = new Map<number, readonly string[]>();

export default new Transform({
  writableObjectMode: true,
  transform(event: TestEvent, _encoding, done) {
    for (const message of told(event)) process.send?.(message);
    done();
  },
});

function* told({ type, data }: TestEvent): Generator<FromWorker> {
  switch (type) {
    case "test:enqueue":
      names.set(data.testId, pathOf(data));
      return;
    case "test:dequeue":
      if (data.nesting > FILE) yield { kind: "started", test: pathOf(data).join(" > ") };
      return;
    case "test:diagnostic":
      yield { kind: "noted", note: data.message };
      return;
    case "test:pass":
      if (data.nesting === FILE) yield { kind: "ended" };
      else if (data.details.type !== "suite") yield { kind: data.skip || data.todo ? "skipped" : "passed" };
      return;
    case "test:fail":
      if (!failedByParts(data)) yield { kind: "failed", failure: failureOf(data, pathOf(data)) };
      if (data.nesting === FILE) yield { kind: "ended" };
      return;
  }
}

function pathOf({ name, nesting, testId, parentId }: Named): readonly string[] {
  if (nesting === FILE) return [];
  return names.get(testId) ?? [...(names.get(parentId ?? -1) ?? []), name];
}

/** A suite or a file that failed by what is in it: that has been told. */
const failedByParts = ({ details }: Failed): boolean =>
  "failureType" in details.error && details.error.failureType === "subtestsFailed";

/** The error that was thrown, which node:test wraps, without the lines of its own that led there. */
function failureOf({ details, line }: Failed, path: readonly string[]): Failure {
  const { cause = details.error } = details.error;
  const text = cause instanceof AssertionError ? `${cause.stack}` : inspect(cause);
  return { path, line: path.length > 0 ? line : undefined, text: text.replaceAll(/\n +at .*\(?node:.*/g, "") };
}
