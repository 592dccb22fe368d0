// The rules as people read them: when each applies, and among whom it draws.

import { Text } from "@mantine/core";
import { useProcessors } from "../api/queries.ts";
import classes from "./routing.module.css";
import { conditionsOf, drawnFirst, type Rule } from "./rules.ts";

export function RuleList({ rules }: { readonly rules: readonly Rule[] }) {
  return (
    <>
      <ol className={classes.rules}>
        {rules.map((rule) => (
          <RuleEntry key={rule.name + JSON.stringify(rule.when)} rule={rule} />
        ))}
      </ol>
      <Text size="sm" c="dimmed" mt="md">
        The first rule that applies and names a processor that can take the charge decides. If none does, it is drawn
        among all that can.
      </Text>
    </>
  );
}

function RuleEntry({ rule: { name, when, processors } }: { readonly rule: Rule }) {
  const conditions = conditionsOf(when);
  const shares = drawnFirst(processors);
  const { data: records = [] } = useProcessors();
  return (
    <li className={classes.rule}>
      <div className={classes.name}>{name}</div>
      <div className={classes.when}>
        {conditions.length === 0 && <span className={classes.condition}>every charge</span>}
        {conditions.map((condition) => (
          <span key={condition} className={classes.condition}>
            {condition}
          </span>
        ))}
      </div>
      <ul className={classes.shares}>
        {processors.map(({ id, weight }, index) => (
          <li key={id}>
            <span className="cut">{records.find((one) => one.id === id)?.name ?? id}</span>
            <span className={classes.track} aria-hidden="true">
              <i style={{ width: `${shares[index] ?? 0}%` }} />
            </span>
            <span className="figures">{weight === 0 ? "spare" : `${Math.round(shares[index] ?? 0)} %`}</span>
          </li>
        ))}
      </ul>
    </li>
  );
}
