// What the runner and its worker processes say to each other.

/** One thing that failed: a test, a hook, or the file as a whole. */
export interface Failure {
  /** From the outermost suite to the test. Empty where the file itself failed. */
  readonly path: readonly string[];
  readonly line: number | undefined;
  /** The error with its difference and where it was thrown. */
  readonly text: string;
}

/** What a worker tells of the file that it was given, in this order; `ended` is the last. */
export type FromWorker =
  | { readonly kind: "started"; readonly test: string }
  | { readonly kind: "passed" }
  | { readonly kind: "skipped" }
  | { readonly kind: "failed"; readonly failure: Failure }
  /** An error that nobody caught, of whichever test. */
  | { readonly kind: "uncaught"; readonly text: string }
  | { readonly kind: "noted"; readonly note: string }
  | { readonly kind: "ended" };

/**
 * The path of a test file to be run, or that there is none any more. A closed channel is the end of the work, too: without a word before
 * it the runner is gone.
 */
export type ToWorker = { readonly file: string } | "no more";
