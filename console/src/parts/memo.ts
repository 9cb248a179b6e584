import { Component, type FunctionComponent, h } from 'preact';

/** A component that is rendered again only when one of its properties has changed, for use in large numbers. */
export function memo<P extends object>(View: FunctionComponent<P>): FunctionComponent<P> {
  class Remembered extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const [before, after] = [this.props as Record<string, unknown>, next as Record<string, unknown>];
      return Object.keys({ ...before, ...after }).some((name) => before[name] !== after[name]);
    }
    override render() {
      return h(View, this.props as P);
    }
  }
  return Remembered as unknown as FunctionComponent<P>;
}
