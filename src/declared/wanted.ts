// What is asked of an apply, and what is noted of it.

import type { PeopleOffice } from "../people/people.ts";
import type { SealingOffice } from "../webhooks/endpoints.ts";
import type { DeclaredFile } from "./records.ts";

export interface Applied {
  readonly at: string;
  readonly actor: string;
  readonly source: string;
  /** As it was given. */
  readonly file: string;
  /** Of the file's bytes. */
  readonly sha256: string;
}

export type DeclaringOffice = PeopleOffice & SealingOffice;

export interface Wanted {
  readonly file: DeclaredFile;
  readonly prune: boolean;
  /** For a plan: all is tried, and nothing stays. */
  readonly plan: boolean;
  /** What is noted about the file when it is applied. */
  readonly source: Pick<Applied, "file" | "sha256">;
}
