// Parts of a whole as bars with their figures: brands, processors, reasons of declines.

import { Text } from "@mantine/core";
import { Panel } from "../parts/parts.tsx";
import classes from "./overview.module.css";

export interface ShareOf {
  readonly name: string;
  readonly about: string;
  readonly figure: string;
  readonly size: number;
}

interface SharesProps {
  readonly title: string;
  readonly shares: readonly ShareOf[];
  readonly nothing: string;
  readonly tone: "info" | "bad";
}

export function Shares({ title, shares, nothing, tone }: SharesProps) {
  const most = Math.max(1, ...shares.map(({ size }) => size));
  const largestFirst = shares.toSorted((one, other) => other.size - one.size);
  return (
    <Panel title={title}>
      {shares.length === 0 && (
        <Text size="sm" c="dimmed">
          {nothing}
        </Text>
      )}
      <ul className={classes.shares}>
        {largestFirst.map(({ name, about, figure, size }) => (
          <li key={name}>
            <div className={classes.shareHead}>
              <span className="cut">{name}</span>
              <span className="figures">{figure}</span>
            </div>
            <div className={classes.track} aria-hidden="true">
              <i data-tone={tone} style={{ width: `${(100 * size) / most}%` }} />
            </div>
            <Text size="xs" c="dimmed">
              {about}
            </Text>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
