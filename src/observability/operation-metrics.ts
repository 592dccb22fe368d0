// What operations come to and how long they take, as Prometheus counts it: the steps, the questions to processors, the outcomes,
// the groups of rows. docs/metrics.md says what each means.

import type { Registry } from "prom-client";
import type { WrittenGroup } from "../journal/group-commit.ts";
import { boundedSeries, codeLabel, OTHER } from "./series.ts";
import { counter, histogram } from "./tallies.ts";
import type { Question, Watch } from "./watch.ts";

/** Seconds: from a write to a fast disk up to the longest deadline of a processor. */
export const DURATIONS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];
const ROWS = [1, 2, 4, 8, 16, 32, 64, 128];

/** Of outcomes, with their codes; of questions, by record, operation and answer; of their durations, each with its buckets. */
const MOST_OUTCOMES = 2_000;
const MOST_QUESTIONS = 1_000;
const MOST_TIMED = 200;

export interface OperationMetrics {
  readonly watch: Watch;
  /** A charge or follow-up was read and checked, so many seconds after its request began. */
  parsed(seconds: number): void;
  /** @returns is told of each group of this statement */
  groupsOf(statement: string): (group: WrittenGroup) => void;
}

/** Registers them. */
export function operationMetrics(register: Registry): OperationMetrics {
  const stepOf = stepMetrics(register);
  const questions = questionMetrics(register);
  const outcomes = outcomeMetrics(register);
  const kinds = new Map<string, string>();
  return {
    watch: {
      begin: (step) => {
        const since = performance.now();
        if (step.name === "ask" && !kinds.has(step.record.id)) kinds.set(step.record.id, step.record.kind);
        return (result) => {
          const seconds = (performance.now() - since) / 1_000;
          stepOf[step.name].observe(seconds);
          if (step.name === "ask") questions(step, result, seconds);
        };
      },
      concluded: ({ processorId, eventType, outcome }) => {
        const { code } = outcome.processorResponse;
        outcomes(`${processorId} ${eventType} ${outcome.kind} ${code}`, () => ({
          ...{ processor: processorId, kind: kinds.get(processorId) ?? OTHER, operation: eventType },
          ...{ outcome: outcome.kind, code: codeLabel(code) },
        })).add();
      },
    },
    parsed: (seconds) => stepOf.parse.observe(seconds),
    groupsOf: groupMetrics(register),
  };
}

function stepMetrics(register: Registry) {
  const help = "Time in each step of an operation: parse, open, append, ask, conclude, defer.";
  const of = histogram(register, { name: "faregate_step_duration_seconds", help }, DURATIONS);
  return {
    parse: of({ step: "parse" }),
    open: of({ step: "open" }),
    append: of({ step: "append" }),
    ask: of({ step: "ask" }),
    conclude: of({ step: "conclude" }),
    defer: of({ step: "defer" }),
  };
}

function questionMetrics(register: Registry) {
  const asked = counter(register, {
    name: "faregate_processor_questions_total",
    help: "Questions to processors by their answer; unanswered: silence, a fault, or too late.",
  });
  const took = histogram(
    register,
    {
      name: "faregate_processor_answer_duration_seconds",
      help: "Time until a processor answered, or its deadline passed.",
    },
    DURATIONS,
  );
  const folded = ["processor"];
  const counterOf = boundedSeries({ most: MOST_QUESTIONS, folded }, asked);
  const timerOf = boundedSeries({ most: MOST_TIMED, folded }, took);
  return ({ record, operation }: Question, answer: string, seconds: number): void => {
    const labels = () => ({ processor: record.id, kind: record.kind, operation });
    counterOf(`${record.id} ${operation} ${answer}`, () => ({ ...labels(), answer })).add();
    timerOf(`${record.id} ${operation}`, labels).observe(seconds);
  };
}

function outcomeMetrics(register: Registry) {
  const help = "Outcomes on record by processor record, operation and the processor's code.";
  const of = counter(register, { name: "faregate_outcomes_total", help });
  return boundedSeries({ most: MOST_OUTCOMES, folded: ["processor", "code"] }, of);
}

function groupMetrics(register: Registry) {
  const rows = histogram(
    register,
    { name: "faregate_journal_group_rows", help: "Rows in a group that was written by one statement and one commit." },
    ROWS,
  );
  const waits = histogram(
    register,
    {
      name: "faregate_journal_group_wait_seconds",
      help: "How long the first row of a group waited before the group was written.",
    },
    DURATIONS,
  );
  const writes = histogram(
    register,
    {
      name: "faregate_journal_group_write_seconds",
      help: "How long a group took from its statement to its commit.",
    },
    DURATIONS,
  );
  return (statement: string) => {
    const [size, waited, took] = [rows({ statement }), waits({ statement }), writes({ statement })];
    return (group: WrittenGroup): void => {
      size.observe(group.rows);
      waited.observe(group.waitedMs / 1_000);
      took.observe(group.tookMs / 1_000);
    };
  };
}
