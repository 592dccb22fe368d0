// Where a list goes on: its pages, if there is more than one; and the way back from past its end.

import { Group, Pagination } from "@mantine/core";

interface PagesProps {
  readonly page: number;
  /** Undefined while nobody knows. */
  readonly last: number | undefined;
  readonly show: (page: number) => void;
}

export function Pages({ page, last = 1, show }: PagesProps) {
  if (last <= 1 && page <= 1) return null;
  return (
    <Group justify="center">
      <Pagination
        total={last}
        value={page}
        onChange={show}
        getControlProps={(control) => ({ "aria-label": `${control} page` })}
        getItemProps={(number) => ({ "aria-label": `Page ${number}` })}
      />
    </Group>
  );
}
