// What operations come to and how long they take, as Prometheus counts it: the steps, the questions to processors, the outcomes,
// the groups of rows. docs/metrics.md says what each means.

import { Counter, Histogram, type Registry } from "prom-client";
import type { WrittenGroup } from "../journal/group-commit.ts";
import { boundedSeries, codeLabel, OTHER } from "./series.ts";
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
  const registers = [register];
  const steps = new Histogram({
    name: "faregate_step_duration_seconds",
    help: "Time in each step of an operation: parse, open, append, ask, conclude, defer.",
    ...{ labelNames: ["step"] as const, buckets: DURATIONS, registers },
  });
  const stepOf = Object.fromEntries(
    (["parse", "open", "append", "ask", "conclude", "defer"] as const).map((step) => [step, steps.labels({ step })]),
  );
  const questions = questionMetrics(registers);
  const outcomes = outcomeMetrics(registers);
  const groups = groupMetrics(registers);
  const kinds = new Map<string, string>();
  return {
    watch: {
      begin: (step) => {
        const since = performance.now();
        if (step.name === "ask" && !kinds.has(step.record.id)) kinds.set(step.record.id, step.record.kind);
        return (result) => {
          const seconds = secondsSince(since);
          stepOf[step.name]?.observe(seconds);
          if (step.name === "ask") questions(step, result, seconds);
        };
      },
      concluded: ({ processorId, eventType, outcome }) => {
        const { kind: outcomeKind, processorResponse } = outcome;
        const { code } = processorResponse;
        outcomes(`${processorId} ${eventType} ${outcomeKind} ${code}`, () => ({
          ...{ processor: processorId, kind: kinds.get(processorId) ?? OTHER, operation: eventType },
          ...{ outcome: outcomeKind, code: codeLabel(code) },
        })).inc();
      },
    },
    parsed: (seconds) => stepOf.parse?.observe(seconds),
    groupsOf: groups,
  };
}

const secondsSince = (ms: number): number => (performance.now() - ms) / 1_000;

type Registers = Registry[];

function questionMetrics(registers: Registers) {
  const labelNames = ["processor", "kind", "operation"] as const;
  const asked = new Counter({
    name: "faregate_processor_questions_total",
    help: "Questions to processors by their answer; unanswered: silence, a fault, or too late.",
    ...{ labelNames: [...labelNames, "answer"] as const, registers },
  });
  const took = new Histogram({
    name: "faregate_processor_answer_duration_seconds",
    help: "Time until a processor answered, or its deadline passed.",
    ...{ labelNames, buckets: DURATIONS, registers },
  });
  const folded = ["processor"];
  const counterOf = boundedSeries({ most: MOST_QUESTIONS, folded }, (labels) => asked.labels(labels));
  const timerOf = boundedSeries({ most: MOST_TIMED, folded }, (labels) => took.labels(labels));
  return ({ record, operation }: Question, answer: string, seconds: number): void => {
    const labels = () => ({ processor: record.id, kind: record.kind, operation });
    counterOf(`${record.id} ${operation} ${answer}`, () => ({ ...labels(), answer })).inc();
    timerOf(`${record.id} ${operation}`, labels).observe(seconds);
  };
}

function outcomeMetrics(registers: Registers) {
  const counter = new Counter({
    name: "faregate_outcomes_total",
    help: "Outcomes on record by processor record, operation and the processor's code.",
    ...{ labelNames: ["processor", "kind", "operation", "outcome", "code"] as const, registers },
  });
  return boundedSeries({ most: MOST_OUTCOMES, folded: ["processor", "code"] }, (labels) => counter.labels(labels));
}

function groupMetrics(registers: Registers) {
  const labelNames = ["statement"] as const;
  const rows = new Histogram({
    name: "faregate_journal_group_rows",
    help: "Rows in a group that was written by one statement and one commit.",
    ...{ labelNames, buckets: ROWS, registers },
  });
  const waits = new Histogram({
    name: "faregate_journal_group_wait_seconds",
    help: "How long the first row of a group waited before the group was written.",
    ...{ labelNames, buckets: DURATIONS, registers },
  });
  const writes = new Histogram({
    name: "faregate_journal_group_write_seconds",
    help: "How long a group took from its statement to its commit.",
    ...{ labelNames, buckets: DURATIONS, registers },
  });
  return (statement: string) => {
    const [size, waited, took] = [rows, waits, writes].map((metric) => metric.labels({ statement }));
    return (group: WrittenGroup): void => {
      size?.observe(group.rows);
      waited?.observe(group.waitedMs / 1_000);
      took?.observe(group.tookMs / 1_000);
    };
  };
}
