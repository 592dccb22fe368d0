// Which merchant an operator looks at: the first, until another is chosen.

import { Select } from "@mantine/core";
import { useEffect } from "react";
import { useMerchants } from "../api/merchants.ts";
import { lookAtMerchant, may, useSignedIn } from "../api/session.ts";

export function MerchantChoice() {
  const who = useSignedIn();
  const isOperator = may(who, "operator_read");
  const { data: merchants = [] } = useMerchants({ enabled: isOperator });
  const chosen = who?.merchantId;
  const first = merchants[0]?.id;
  useEffect(() => {
    if (isOperator && chosen === undefined && first !== undefined) lookAtMerchant(first);
  }, [isOperator, chosen, first]);
  if (!isOperator) return null;
  return (
    <Select
      label={who?.kind === "token" ? "Merchant to set up" : "Merchant"}
      size="sm"
      mb="sm"
      searchable
      allowDeselect={false}
      data={merchants.map(({ id, name }) => ({ value: id, label: name }))}
      value={chosen ?? null}
      onChange={(id) => id !== null && lookAtMerchant(id)}
    />
  );
}
