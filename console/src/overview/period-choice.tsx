// Which period the overview shows, and in which currency. Both stand in the address.

import { Group, SegmentedControl, Select, TextInput } from "@mantine/core";
import { useLocation } from "wouter";
import classes from "./overview.module.css";
import { PERIODS, type Span } from "./steps.ts";
import type { View } from "./view.ts";

interface PeriodChoiceProps {
  readonly view: View;
  readonly currency: string;
  readonly currencies: readonly string[];
}

const ANY = "Dates";

export function PeriodChoice({ view: { period, span }, currency, currencies }: PeriodChoiceProps) {
  const [, go] = useLocation();
  const here = period === undefined ? span : { period: period.name };
  const show = (wanted: Span | { readonly period: string }, inCurrency = currency) =>
    go(`/overview?${new URLSearchParams({ ...wanted, currency: inCurrency })}`);
  return (
    <div className={classes.choice}>
      <SegmentedControl
        size="sm"
        aria-label="Period"
        classNames={{ label: classes.period }}
        data={[...PERIODS.map(({ name }) => name), ANY]}
        value={period?.name ?? ANY}
        onChange={(name) => show(name === ANY ? span : { period: name })}
      />
      {period === undefined && <Dates span={span} show={(wanted) => show({ ...span, ...wanted })} />}
      <Select
        aria-label="Currency"
        w={96}
        data={[...currencies]}
        value={currency}
        onChange={(next) => next !== null && show(here, next)}
        allowDeselect={false}
      />
    </div>
  );
}

interface DatesProps {
  readonly span: Span;
  readonly show: (wanted: Partial<Span>) => void;
}

/** What was typed counts when it is whole: a browser gives a date without its year as nothing. */
function Dates({ span: { from, to }, show }: DatesProps) {
  return (
    <Group gap="xs" wrap="nowrap">
      <TextInput
        key={`from ${from}`}
        type="date"
        aria-label="From"
        defaultValue={from}
        max={to}
        onBlur={({ currentTarget: { value } }) => value !== "" && value !== from && show({ from: value })}
        onKeyDown={({ key, currentTarget }) => key === "Enter" && currentTarget.blur()}
      />
      <TextInput
        key={`to ${to}`}
        type="date"
        aria-label="To, inclusive"
        defaultValue={to}
        min={from}
        onBlur={({ currentTarget: { value } }) => value !== "" && value !== to && show({ to: value })}
        onKeyDown={({ key, currentTarget }) => key === "Enter" && currentTarget.blur()}
      />
    </Group>
  );
}
