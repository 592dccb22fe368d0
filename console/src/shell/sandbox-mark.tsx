// Says that no real money moves here, and what time the sandbox has where that may be read. It leads to where the clock is moved.

import { readsClock, useClock } from "../api/clock.ts";
import { may, useSignedIn } from "../api/session.ts";
import { PageLink } from "../parts/parts.tsx";
import { dateOf, timeOf } from "../words/dates.ts";
import classes from "./shell.module.css";

const NEAR_MS = 120_000;

export function SandboxMark() {
  const who = useSignedIn();
  const clock = useClock({ enabled: readsClock(who) });
  const ahead = clock.data !== undefined && clock.data.getTime() - Date.now() > NEAR_MS;
  const words = (
    <>
      Sandbox
      {ahead && clock.data && (
        <span className="figures">
          <span className="wide">{dateOf(clock.data)}, </span>
          {timeOf(clock.data)}
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
