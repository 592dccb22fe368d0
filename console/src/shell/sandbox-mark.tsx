// Says that no real money moves here, and what time the sandbox has. It leads to where the clock is moved.

import { useNow } from "../api/clock.ts";
import { may, useSignedIn } from "../api/session.ts";
import { PageLink } from "../parts/parts.tsx";
import { dateOf, timeOf } from "../words/dates.ts";
import classes from "./shell.module.css";

const NEAR_MS = 120_000;

export function SandboxMark() {
  const who = useSignedIn();
  const now = useNow();
  const ahead = now.getTime() - Date.now() > NEAR_MS;
  const words = (
    <>
      Sandbox
      {ahead && (
        <span className="figures">
          <span className="wide">{dateOf(now)}, </span>
          {timeOf(now)}
        </span>
      )}
    </>
  );
  return may(who, "charge") || may(who, "operator_read") ? (
    <PageLink href="/bench" className={classes.sandbox} title="No real money moves here">
      {words}
    </PageLink>
  ) : (
    <span className={classes.sandbox} title="No real money moves here">
      {words}
    </span>
  );
}
