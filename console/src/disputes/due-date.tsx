// Until when a dispute waits for a response: red when little time is left. The words say it too.

import type { Due } from "../words/disputes.ts";

export function DueDate({ due }: { readonly due: Due | undefined }) {
  if (due === undefined) return "–";
  return (
    <span className="figures">
      {due.at}, <b style={{ color: `var(--${due.tone})` }}>{due.left}</b>
    </span>
  );
}
