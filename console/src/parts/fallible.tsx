// What cannot be shown, because its file cannot be loaded or it fails, takes nothing else of the page with it.

import { Component, type ReactNode } from "react";

interface FallibleProps {
  /** Shown in its place. */
  readonly instead: ReactNode;
  readonly children: ReactNode;
}

export class Fallible extends Component<FallibleProps, { readonly failed: boolean }> {
  override readonly state = { failed: false };

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.instead : this.props.children;
  }
}
