// The log as use cases and background work write to it. Each line is for an operator: facts, and a sentence in plain words. The server's own log
// fits it, and so does one that a test collects.

/** Facts only: never a body, never card data. */
export interface Log {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}
