// What is loaded when it is first shown. React's `lazy` would show it 0.3 s after the sign of waiting, however soon its code was there: what
// follows the fallback of a `Suspense` is held back that long.

import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { loadOrAgain } from "./load.ts";
import { useTitle } from "./page.tsx";
import { Loading } from "./states.tsx";

/**
 * @param load a fault is thrown where the component is shown; the next that is shown tries again
 * @param name of the component, in the file that has come
 * @param waiting shown meanwhile; by itself in place of a whole page
 */
export function loadable<Name extends string, File extends Readonly<Record<Name, ComponentType<never>>>>(
  load: () => Promise<File>,
  name: Name,
  waiting: ReactNode = <PageComes />,
): File[Name] {
  let loaded: ComponentType | undefined;
  function Loadable(props: object) {
    const [Loaded, show] = useState(() => loaded);
    useEffect(() => {
      if (Loaded !== undefined) return;
      const came = (file: File) => {
        loaded = file[name] as ComponentType;
        show(() => loaded);
      };
      loadOrAgain(load).then(came, (fault: unknown) =>
        show(() => {
          throw fault;
        }),
      );
    }, [Loaded]);
    return Loaded === undefined ? waiting : <Loaded {...props} />;
  }
  return Loadable as ComponentType<never> as File[Name];
}

/** Until then nobody would know what the page is about: its title is not that of the page before. */
function PageComes() {
  useTitle("Loading");
  return <Loading />;
}
