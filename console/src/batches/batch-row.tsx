// A line of the list of batches, with the batch's totals. They are added up from all that is in it, so they are asked for when the line is
// seen, or when it is its turn.

import { useInViewport } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { ApiError } from "../../../packages/client/src/errors.ts";
import type { BatchSummary } from "../../../packages/client/src/openapi.ts";
import { passes } from "../api/passing.ts";
import { useBatch } from "../api/queries.ts";
import { wordsOfRead } from "../api/read.ts";
import { LinkedRow, RowLink } from "../parts/linked-row.tsx";
import { Amount } from "../parts/parts.tsx";
import table from "../transactions/transactions.module.css";
import { dateOf, timeOf } from "../words/dates.ts";
import { grouped } from "../words/money.ts";
import { sumsOf } from "./sums.ts";

interface BatchRowProps {
  readonly batch: BatchSummary;
  /** Its name. */
  readonly processor: string;
  /** It is its turn, seen or not. */
  readonly wanted: boolean;
  /** Its totals are there, or cannot be had. */
  readonly onAnswer: () => void;
}

export function BatchRow({ batch: { id, cutoff_at, currency }, processor, wanted, onAnswer }: BatchRowProps) {
  const { ref, inViewport } = useInViewport<HTMLTableRowElement>();
  const [seen, setSeen] = useState(false);
  if (inViewport && !seen) setSeen(true);
  const { data: batch, error } = useBatch(id, seen || wanted, Number.POSITIVE_INFINITY);
  const isAnswered = batch !== undefined || error !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, whichever function it is by now
  useEffect(() => {
    if (isAnswered) onAnswer();
  }, [isAnswered]);
  const sums = batch && sumsOf(batch);
  return (
    <LinkedRow href={`/batches/${id}`} ref={ref}>
      <td>
        <RowLink>
          {dateOf(cutoff_at)}, {timeOf(cutoff_at)}
        </RowLink>
        <div className={`narrow ${table.quiet}`}>{processor}</div>
      </td>
      <td className="wide cut">{processor}</td>
      <Sum amount={sums?.taken} currency={currency} />
      <Sum amount={batch?.voided} currency={currency} />
      <Sum amount={sums?.refunded} currency={currency} />
      <td className={table.number}>
        {batch !== undefined ? (
          <Amount amount={batch.net} currency={currency} />
        ) : (
          <span className={table.quiet} title={error === null ? undefined : wordsOfRead(error)}>
            {error === null ? "Adding up…" : whyNot(error)}
          </span>
        )}
      </td>
    </LinkedRow>
  );
}

function whyNot(fault: Error): string {
  // A batch that is there is refused for one reason only.
  if (fault instanceof ApiError && fault.status === 422) return "Archived";
  return passes(fault) ? "Not known yet" : "Not known";
}

const Sum = ({ amount, currency }: { readonly amount: string | undefined; readonly currency: string }) => (
  <td className={`wide ${table.number}`}>{amount !== undefined && grouped(amount, currency)}</td>
);
