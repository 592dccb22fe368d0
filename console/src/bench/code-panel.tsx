// The request of the bench as code to copy.

import { Button, Group, ScrollArea, SegmentedControl, Stack } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useState } from "react";
import { BASE_PATH } from "../base-path.ts";
import { Icon } from "../parts/icons.tsx";
import { Panel } from "../parts/parts.tsx";
import classes from "./bench.module.css";
import { LANGUAGES, type Language, sampleOf } from "./samples.ts";

interface CodePanelProps {
  readonly operation: "sale" | "auth";
  readonly fields: Readonly<Record<string, string>>;
}

export function CodePanel({ operation, fields }: CodePanelProps) {
  const [language, setLanguage] = useState<Language>("curl");
  const clipboard = useClipboard({ timeout: 1_500 });
  const sample = sampleOf(language, { gateway: `${location.origin}${BASE_PATH}`, operation, fields });
  return (
    <Panel title="As code">
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="Language"
            value={language}
            onChange={(value) => setLanguage(LANGUAGES.find((one) => one === value) ?? "curl")}
            data={[...LANGUAGES]}
          />
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<Icon name="copy" size={14} />}
            onClick={() => clipboard.copy(sample)}
          >
            {clipboard.copied ? "Copied" : "Copy"}
          </Button>
        </Group>
        <ScrollArea type="auto" viewportProps={{ tabIndex: 0 }}>
          <pre className={classes.code}>{sample}</pre>
        </ScrollArea>
      </Stack>
    </Panel>
  );
}
