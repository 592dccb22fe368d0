// What cannot be shown, because its file cannot be loaded or it fails, takes nothing else of the page with it.

import { Component, type ReactNode } from "react";

interface FallibleProps {
  /** Shown in its place; `again` tries to show it. */
  readonly instead: (fault: unknown, again: () => void) => ReactNode;
  readonly children: ReactNode;
}

interface State {
  readonly failed: { readonly fault: unknown } | undefined;
}

export class Fallible extends Component<FallibleProps, State> {
  override readonly state: State = { failed: undefined };

  static getDerivedStateFromError(fault: unknown): State {
    return { failed: { fault } };
  }

  override render(): ReactNode {
    const { failed } = this.state;
    return failed === undefined
      ? this.props.children
      : this.props.instead(failed.fault, () => this.setState({ failed: undefined }));
  }
}
