// What can be done with a transaction now and until when, or why not and from when on.

import { Button } from "@mantine/core";
import { useState } from "react";
import type { Transaction } from "../../../packages/client/src/openapi.ts";
import type { FollowUpName } from "../api/queries.ts";
import { Panel } from "../parts/parts.tsx";
import { FollowUpDialog } from "./follow-up-dialog.tsx";
import { FOLLOW_UPS, isAllowed, rulingOn } from "./follow-ups.ts";
import classes from "./transaction.module.css";

interface PossibleProps {
  readonly transaction: Transaction;
  readonly now: Date;
}

export function Possible({ transaction, now }: PossibleProps) {
  const [asked, setAsked] = useState<FollowUpName>();
  const { actions, currency } = transaction;
  const rulings = FOLLOW_UPS.map(({ name }) => rulingOn(actions[name], currency, now));
  // A declined charge has one reason, not four.
  if (FOLLOW_UPS.every(({ name }) => !actions[name].allowed) && new Set(rulings).size === 1)
    return (
      <Panel title="What can be done">
        <p className={classes.ruling}>{rulings[0]}</p>
      </Panel>
    );
  return (
    <Panel title="What can be done">
      <ul className={classes.possible}>
        {FOLLOW_UPS.map(({ name, label }, index) => (
          <li key={name}>
            <Button
              variant="default"
              size="sm"
              fullWidth
              disabled={!actions[name].allowed}
              onClick={() => setAsked(name)}
              aria-describedby={`${name}-ruling`}
            >
              {label}
            </Button>
            <p id={`${name}-ruling`} className={classes.ruling}>
              {rulings[index]}
            </p>
          </li>
        ))}
      </ul>
      {asked !== undefined && isAllowed(actions[asked]) && (
        <FollowUpDialog
          key={asked}
          operation={asked}
          action={actions[asked]}
          transaction={transaction}
          close={() => setAsked(undefined)}
        />
      )}
    </Panel>
  );
}
