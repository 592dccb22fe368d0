// Which merchant an operator looks at: the one that the address names, or else the first, until another is chosen.

import { Select } from "@mantine/core";
import { useEffect } from "react";
import { useLocation, useSearch } from "wouter";
import { useMerchants } from "../api/merchants.ts";
import { lookAtMerchant, may, useSignedIn } from "../api/session.ts";

export function MerchantChoice() {
  const who = useSignedIn();
  const [query, [path, go]] = [new URLSearchParams(useSearch()), useLocation()];
  const isOperator = may(who, "operator_read");
  const { data: merchants = [] } = useMerchants({ enabled: isOperator });
  const chosen = who?.merchantId;
  const named = query.get("merchant");
  const wanted = merchants.find(({ id }) => id === named)?.id ?? (chosen === undefined ? merchants[0]?.id : undefined);
  useEffect(() => {
    if (isOperator && wanted !== undefined && wanted !== chosen) lookAtMerchant(wanted);
  }, [isOperator, wanted, chosen]);
  if (!isOperator) return null;
  const choose = (id: string) => {
    query.delete("merchant");
    if (named !== null) go(query.size === 0 ? path : `${path}?${query}`, { replace: true });
    lookAtMerchant(id);
  };
  return (
    <Select
      label={who?.kind === "token" ? "Merchant to set up" : "Merchant"}
      size="sm"
      mb="sm"
      searchable
      allowDeselect={false}
      data={merchants.map(({ id, name }) => ({ value: id, label: name }))}
      value={chosen ?? null}
      onChange={(id) => id !== null && choose(id)}
    />
  );
}
