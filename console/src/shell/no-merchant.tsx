// What an operator sees before a merchant is chosen: for a moment, or where there is none yet.

import { useMerchants } from "../api/merchants.ts";
import { Empty, Fault, Loading } from "../parts/states.tsx";

export function NoMerchant() {
  const merchants = useMerchants({ enabled: true });
  if (merchants.isError) return <Fault fault={merchants.error} again={() => void merchants.refetch()} />;
  if (merchants.data?.length !== 0) return <Loading />;
  return (
    <Empty title="No merchants yet">
      <span className="code">npx faregate merchant create --name Shop</span> makes one.
    </Empty>
  );
}
