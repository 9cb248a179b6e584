// GitHub's own elements, which its pages have used for years: what a button does to the selection, and what is offered while one types. 9 kB together.
import '@github/markdown-toolbar-element';
import '@github/text-expander-element';
import type { IconNode } from 'lucide';
import { h, type RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { has } from '../../language/has.ts';
import { IconButton } from '../button.tsx';
import {
  attachIcon,
  boldIcon,
  bulletsIcon,
  codeIcon,
  headingIcon,
  italicIcon,
  linkIcon,
  mentionIcon,
  numbersIcon,
  quoteIcon,
  tableIcon,
  tasksIcon,
} from '../icons.ts';
import { tellFailure } from '../popup/toasts.tsx';
import { words } from './messages.ts';
import { insertionOf, offer } from './offers.ts';
import { continueList, fromPaste, insert, TABLE } from './text.ts';

export interface ToolbarProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** Of the field. */
  readonly id: string;
  readonly onChange: (value: string) => void;
  readonly projectId: string | undefined;
  readonly attach: ((file: File) => Promise<string>) | undefined;
}

/** What `markdown-toolbar` does by itself, by its names. */
const STYLES: readonly (readonly [style: string, icon: IconNode, name: () => string])[] = [
  ['header-3', headingIcon, () => words.heading],
  ['bold', boldIcon, () => words.bold],
  ['italic', italicIcon, () => words.italic],
  ['code', codeIcon, () => words.code],
  ['link', linkIcon, () => words.link],
  ['quote', quoteIcon, () => words.quote],
  ['unordered-list', bulletsIcon, () => words.bullets],
  ['ordered-list', numbersIcon, () => words.numbers],
  ['task-list', tasksIcon, () => words.tasks],
  ['mention', mentionIcon, () => words.mention],
];

export function Toolbar({ field, id, onChange, projectId, attach }: ToolbarProps) {
  const file = useRef<HTMLInputElement>(null);
  const calls = useRef({ onChange, projectId, attach });
  calls.current = { onChange, projectId, attach };

  useEffect(() => {
    const { current } = field;
    return current ? withTools(current, () => calls.current) : undefined;
  }, [field]);

  const store = (files: Iterable<File> | null | undefined) => {
    if (field.current && attach && files) for (const each of files) void upload(field.current, each, attach);
  };
  return h(
    'markdown-toolbar',
    { for: id, 'aria-label': words.format, class: 'editor-toolbar' },
    STYLES.map(([style, icon, name]) => <IconButton key={style} of={icon} name={name()} data-md-button={style} />),
    <IconButton
      of={tableIcon}
      name={words.table}
      data-md-button=""
      onClick={() => field.current && insert(field.current, TABLE)}
    />,
    attach && (
      <IconButton of={attachIcon} name={words.attach} data-md-button="" onClick={() => file.current?.click()} />
    ),
    attach && (
      <input
        ref={file}
        type="file"
        class="unseen"
        aria-hidden="true"
        tabIndex={-1}
        multiple
        onChange={({ currentTarget }) => {
          store(currentTarget.files);
          currentTarget.value = '';
        }}
      />
    ),
  );
}

/** What is offered waits for answers, which may overtake each other while somebody types. @returns the answer to what was typed last */
function inOrder() {
  let newest: ReturnType<typeof offer>;
  return async (asked: typeof newest): typeof newest => {
    newest = asked;
    for (;;) {
      const awaited = newest;
      const answer = await awaited;
      if (awaited === newest) return answer;
    }
  };
}

/** Until the answer to what is typed now is there, Enter still chooses from the last one, if that fits. */
function chooseFirst(expander: HTMLElement, typed: string): void {
  // Once the input that it is told of comes by here: the list forgets it at each.
  const choose = () => {
    const first = expander.querySelector('[role=option]');
    if (first && has(first.textContent, typed)) first.setAttribute('data-combobox-option-default', 'true');
  };
  expander.addEventListener('input', choose, { once: true });
}

/** What could not be read takes nothing away: of what is offered, what still fits. */
function stillOffered(expander: HTMLElement, typed: string): Awaited<ReturnType<typeof offer>> {
  const list = expander.querySelector<HTMLElement>('[role=listbox]') ?? document.createElement('div');
  for (const option of [...list.children]) if (!has(option.textContent, typed)) option.remove();
  return { matched: list.childElementCount > 0, fragment: list };
}

/** @returns takes them away */
function withTools(field: HTMLTextAreaElement, calls: () => Pick<ToolbarProps, 'onChange' | 'projectId' | 'attach'>) {
  const ends = new AbortController();
  const options = { signal: ends.signal };
  const expander = field.parentElement as HTMLElement;
  const newestOf = inOrder();
  expander.addEventListener(
    'text-expander-change',
    (event) => {
      const { key, text, provide } = (event as CustomEvent).detail;
      chooseFirst(expander, text);
      provide(newestOf(offer(key, text, calls().projectId).catch(() => stillOffered(expander, text))));
    },
    options,
  );
  expander.addEventListener(
    'text-expander-value',
    (event) => {
      const { detail } = event as CustomEvent;
      detail.value = insertionOf(detail.item);
    },
    options,
  );
  expander.addEventListener('text-expander-committed', () => calls().onChange(field.value), options);
  field.addEventListener('keydown', continueList, options);
  const take = (event: Event, transfer: DataTransfer | null) => {
    const { attach } = calls();
    if (attach && transfer?.files.length && !isText(transfer)) {
      event.preventDefault();
      for (const file of transfer.files) void upload(field, file, attach);
      return;
    }
    const text = event.type === 'paste' && fromPaste(field, transfer?.getData('text/plain') ?? '');
    if (!text) return;
    event.preventDefault();
    insert(field, text);
  };
  field.addEventListener('dragover', (event) => calls().attach && hasFiles(event) && event.preventDefault(), options);
  field.addEventListener('paste', (event) => take(event, event.clipboardData), options);
  field.addEventListener('drop', (event) => take(event, event.dataTransfer), options);
  return () => ends.abort();
}

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files');

// One that is let go beside a field would take the place of the page, and of what is being written in it.
addEventListener('dragover', (event) => {
  if (event.defaultPrevented || !hasFiles(event) || (event.target as Element).matches?.('[type=file]')) return;
  event.preventDefault();
  if (event.dataTransfer) event.dataTransfer.dropEffect = 'none';
});

/** Office programs offer a picture of a text that is copied as well; a copied picture has no text, and a copied file no formatted one. */
function isText(transfer: DataTransfer): boolean {
  return transfer.types.includes('text/html') && transfer.getData('text/plain').trim() !== '';
}

/** A note where the file will be, until it has been stored. */
async function upload(field: HTMLTextAreaElement, file: File, attach: (file: File) => Promise<string>): Promise<void> {
  const name = file.name.replaceAll(/[[\]\n]/g, ' ');
  const note = `[${words.uploading({ name })}]()`;
  insert(field, note);
  const put = (text: string) => {
    const at = field.value.indexOf(note);
    if (at < 0) return;
    // By then one may write elsewhere, where it would be inserted, or see the preview.
    if (document.activeElement !== field) {
      field.setRangeText(text, at, at + note.length, 'preserve');
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
      return;
    }
    const { selectionStart, selectionEnd } = field;
    field.setSelectionRange(at, at + note.length);
    insert(field, text);
    const shift = (place: number) => (place > at ? Math.max(at, place + text.length - note.length) : place);
    field.setSelectionRange(shift(selectionStart), shift(selectionEnd));
  };
  try {
    const url = await attach(file);
    put(`${file.type.startsWith('image/') ? '!' : ''}[${name}](${url})`);
  } catch (error) {
    put('');
    tellFailure(words.notStored({ name }), error);
  }
}
