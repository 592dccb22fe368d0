// One processor record, and which settings its kind takes.

import type { SettingSchemas } from "../processors/draft.ts";
import { ask } from "./ask.ts";
import { useRead } from "./read.ts";
import type { ProcessorRecord } from "./setup.ts";

export function useProcessorRecord(id: string) {
  return useRead({
    queryKey: ["setup", "processor", id],
    queryFn: async ({ signal }) =>
      (
        await ask<{ readonly processor: ProcessorRecord }>(`/operator/processors/${encodeURIComponent(id)}`, {
          signal,
        })
      ).processor,
  });
}

interface ApiDocument {
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties?: SettingSchemas }>>;
  };
}

/** By the settings' names, as the gateway publishes them. */
export function useSettingSchemas(kind: string) {
  return useRead({
    queryKey: ["openapi"],
    queryFn: ({ signal }) => ask<ApiDocument>("/openapi.json", { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    select: ({ components }): SettingSchemas =>
      components.schemas[`${kind.charAt(0).toUpperCase()}${kind.slice(1)}Settings`]?.properties ?? {},
  });
}
