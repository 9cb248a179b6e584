import { Component, type ComponentChildren } from 'preact';
import { words } from '../parts/messages.ts';
import { isReplaced } from '../parts/page/later.tsx';
import { Failed } from '../parts/page/states.tsx';

interface State {
  readonly error?: unknown;
}

/** What cannot be drawn says so, and leaves everything around it as it is. A later version of the service may tell of what this page does not know. */
export class Caught extends Component<{ readonly children: ComponentChildren }, State> {
  override state: State = {};

  static override getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override async componentDidCatch(): Promise<void> {
    if (await isReplaced()) this.setState({ error: words.isNewer });
  }

  override render() {
    const { error } = this.state;
    const retry = () => (error === words.isNewer ? location.reload() : this.setState({ error: undefined }));
    return error ? <Failed error={error} retry={retry} /> : this.props.children;
  }
}
