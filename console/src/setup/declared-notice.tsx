// Shows which file the gateway was set up from, and what was changed by hand since then.

import { Alert, Stack, Text } from "@mantine/core";
import { type DeclaredDifference, useDeclaredState } from "../api/declared-state.ts";
import { Fault } from "../parts/states.tsx";
import { momentOf } from "../words/dates.ts";

const MOST_SHOWN = 10;

export function DeclaredNotice() {
  const { data: state, error, refetch } = useDeclaredState();
  if (error !== null) return <Fault fault={error} again={() => void refetch()} />;
  if (!state?.applied) return null;
  const { applied, differences, differences_total: total } = state;
  const by = `${applied.file}, applied ${momentOf(applied.at)} UTC by ${applied.actor}`;
  if (total === 0)
    return (
      <Text size="sm" c="dimmed" mb="sm">
        As declared in {by}.
      </Text>
    );
  return (
    <Alert
      color="yellow"
      variant="light"
      role="status"
      mb="md"
      title={`${total === 1 ? "1 difference" : `${total} differences`} from the declared state`}
      styles={{ message: { color: "var(--mantine-color-text)" }, title: { color: "var(--mantine-color-text)" } }}
    >
      <Stack gap={4}>
        <Text size="sm">Declared in {by}. The next apply of that file takes these back:</Text>
        {differences.slice(0, MOST_SHOWN).map((one) => (
          <Text size="sm" key={`${one.record} ${one.id} ${one.field}`}>
            {sentenceOf(one)}
          </Text>
        ))}
        {total > MOST_SHOWN && <Text size="sm">And {total - MOST_SHOWN} more.</Text>}
      </Stack>
    </Alert>
  );
}

function sentenceOf({ record, name, field, declared, now, since, actor }: DeclaredDifference): string {
  const who = `${since === null ? "" : `, since ${momentOf(since)} UTC`}${actor === null ? "" : `, by ${actor}`}`;
  const what = `${record.charAt(0).toUpperCase()}${record.slice(1)} ${name}`;
  if (field !== null) return `${what}: ${field} is ${now ?? "not set"}, declared is ${declared ?? "not set"}${who}.`;
  return now === null ? `${what} is gone${who}.` : `${what} is in no list of the file${who}.`;
}
