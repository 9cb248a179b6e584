import './toasts.css';
import { signal } from '@preact/signals';
import { onWaiting } from '../../api/call.ts';
import { Button, IconButton } from '../button.tsx';
import { closeIcon } from '../icons.ts';
import { words } from '../messages.ts';
import { Refused, type Said, said } from '../page/states.tsx';

interface Toast extends Said {
  readonly id: number;
  readonly tone: 'plain' | 'bad';
  readonly actions: readonly ToastAction[];
  /** Of those with the same one, only the newest is shown. */
  readonly slot?: string | undefined;
}
export interface ToastAction {
  readonly label: string;
  /** The key that does the same. */
  readonly key?: string;
  readonly run: () => void;
  /** There is another way to it: the message need not wait for anybody. */
  readonly passes?: true;
}

/** Long enough to be read; what failed, or can be acted on, stays until it is dismissed. */
const SHOWN_MS = 6_000;
const SHOWN_WITH_ACTION_MS = 12_000;
/** Besides those that are the only way to something. */
const MAX_SHOWN = 4;

const passes = (action: ToastAction) => action.passes;

const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

/** Says what became of something, in a corner and to a screen reader. @param slot replaces what was said with the same one */
export function tell(text: string, given: ToastAction | readonly ToastAction[] = [], slot?: string): void {
  const actions = [given].flat() as ToastAction[];
  const id = add({ tone: 'plain', text, original: '', actions, slot });
  if (actions.every(passes)) setTimeout(() => dismiss(id), actions.length > 0 ? SHOWN_WITH_ACTION_MS : SHOWN_MS);
}

/** What failed, and why: `tellFailure(words.notMoved, error)`. */
export function tellFailure(what: string, error: unknown, action?: ToastAction): void {
  const { text, original } = said(error);
  add({ tone: 'bad', text: `${what} ${text}`, original, actions: action ? [action] : [] });
}

onWaiting(({ retryAfterSeconds: seconds = 0 }) => tell(words.waiting({ seconds }), [], 'waiting'));

function add(toast: Omit<Toast, 'id'>): number {
  lastId++;
  // Saving twice says so once.
  const others = toasts.value.filter(
    ({ tone, text, original, slot }) =>
      (tone !== toast.tone || text !== toast.text || original !== toast.original) && (!slot || slot !== toast.slot),
  );
  const kept = others.filter(({ actions }, at) => at > others.length - MAX_SHOWN || !actions.every(passes));
  toasts.value = [...kept, { ...toast, id: lastId }];
  return lastId;
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

/** Present from the start, so that screen readers announce what is added to it. */
export function Toasts() {
  return (
    <section class="toasts" aria-label={words.notifications} aria-live="polite" aria-relevant="additions">
      {toasts.value.map(({ id, tone, text, original, actions }) => (
        <div key={id} class={`toast toast-${tone}`}>
          <p>
            <Refused text={text} original={original} />
          </p>
          {actions.map((action) => (
            <Button
              key={action.label}
              onClick={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.label} {action.key && <kbd>{action.key}</kbd>}
            </Button>
          ))}
          <IconButton of={closeIcon} name={words.dismiss} title={undefined} onClick={() => dismiss(id)} />
        </div>
      ))}
    </section>
  );
}
