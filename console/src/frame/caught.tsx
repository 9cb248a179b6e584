import { Component, type ComponentChildren } from 'preact';
import { Failed } from '../parts/page/states.tsx';

interface State {
  readonly error?: unknown;
}

/** What cannot be drawn says so, and leaves everything around it as it is. */
export class Caught extends Component<{ readonly children: ComponentChildren }, State> {
  override state: State = {};

  static override getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render() {
    const { error } = this.state;
    return error ? <Failed error={error} retry={() => this.setState({ error: undefined })} /> : this.props.children;
  }
}
