// How the console reads. What fails for a reason that passes is asked again by itself, and until there is an answer the fault is told.

import {
  type QueryClient,
  type QueryFilters,
  type UseQueryOptions,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { ApiError } from "../../../packages/client/src/errors.ts";
import { wordsOf } from "./ask.ts";
import { passes } from "./passing.ts";

export interface Read<T> {
  /** What came last. */
  readonly data: T | undefined;
  /** Why nothing came, or nothing newer. Of one that passes it is asked again meanwhile. */
  readonly error: Error | null;
  readonly isError: boolean;
  /** Nothing came yet, and no fault either. */
  readonly isPending: boolean;
  /** What came for another question, until this one is answered. */
  readonly isPlaceholderData: boolean;
  readonly refetch: () => Promise<void>;
}

/** As `useQuery`, with the fault also while it is asked again. */
export function useRead<T, Shown = T>(options: UseQueryOptions<T, Error, Shown>): Read<Shown> {
  const queries = useQueryClient();
  const { data, isPending, isPlaceholderData, error: last, failureReason } = useQuery(options);
  const error = faultOf({ error: last, failureReason });
  return {
    ...{ data, error, isPlaceholderData, isError: error !== null, isPending: isPending && error === null },
    refetch: () => askNow(queries, { queryKey: options.queryKey, exact: true }),
  };
}

/** Of a query: the fault that it ended with, or that it goes on after. */
export const faultOf = ({ error, failureReason }: Faults): Error | null => error ?? failureReason;

interface Faults {
  readonly error: Error | null;
  readonly failureReason: Error | null;
}

/** Also what pauses before it is asked again. */
export async function askNow(queries: QueryClient, which: QueryFilters): Promise<void> {
  await queries.cancelQueries(which);
  await queries.refetchQueries({ ...which, type: "active" });
}

/** What went wrong with a question, and whether the console does something about it. */
export function wordsOfRead(fault: unknown): string {
  if (!passes(fault)) return wordsOf(fault);
  const what = fault instanceof ApiError ? wordsOf(fault) : "The gateway did not answer.";
  return `${what} The console asks again by itself.`;
}
