// The first cell of a row that opens: what it is about, and whether what is below belongs to it.

import type { ReactNode } from "react";
import { Icon } from "../parts/icons.tsx";
import classes from "./operations.module.css";

interface OpenerProps {
  readonly opened: boolean;
  readonly toggle: () => void;
  /** The id of what opens. */
  readonly of: string;
  readonly children: ReactNode;
}

export function OpenerCell({ opened, toggle, of, children }: OpenerProps) {
  return (
    <td>
      <button
        type="button"
        className={classes.opener}
        aria-expanded={opened}
        {...(opened && { "aria-controls": of })}
        onClick={toggle}
      >
        <span className={classes.arrow} data-opened={opened}>
          <Icon name="back" size={12} />
        </span>
        {children}
      </button>
    </td>
  );
}
