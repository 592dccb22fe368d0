// What is loaded when it is first shown. React's `lazy` would show it 0.3 s after the sign of waiting, however soon its code was there: what
// follows the fallback of a `Suspense` is held back that long.

import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { Loading } from "./states.tsx";

/**
 * @param load a fault is thrown where the component is shown; the next that is shown tries again
 * @param waiting shown meanwhile
 */
export function loadable<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  waiting: ReactNode = <Loading />,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Loadable(props) {
    const [Loaded, show] = useState(() => loaded);
    useEffect(() => {
      if (Loaded !== undefined) return;
      const came = (component: ComponentType<Props>) => {
        loaded = component;
        show(() => component);
      };
      load().then(came, (fault: unknown) =>
        show(() => {
          throw fault;
        }),
      );
    }, [Loaded]);
    return Loaded === undefined ? waiting : <Loaded {...props} />;
  };
}
