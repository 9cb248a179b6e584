import './editor.css';
import { type ComponentType, h } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../button.tsx';
import { later } from '../page/later.tsx';
import { words } from './messages.ts';
import type { ToolbarProps } from './toolbar.tsx';

const Preview = later(async () => (await import('../text/markdown.tsx')).Markdown);

export interface EditorProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Of a label elsewhere. */
  readonly id?: string;
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string | undefined;
  readonly rows?: number;
  readonly maxLength?: number;
  readonly placeholder?: string;
  readonly hasFocus?: boolean;
  /** The project in which items are looked up as they are typed. */
  readonly projectId?: string | undefined;
  /** Ctrl+Enter. */
  readonly onSubmit?: () => void;
  /** Escape. */
  readonly onCancel?: () => void;
  /** Stores a file that was pasted, dropped or chosen. Without it, only texts are taken. @returns its address */
  readonly attach?: (file: File) => Promise<string>;
}

/**
 * A field for Markdown, which stays its text: nothing is rewritten. It is a <textarea>, as on GitHub, whose own elements are its tools: so spelling, input
 * methods, screen readers and undoing are the browser's. (CodeMirror would be 130 kB, and editors that show formatted text write Markdown anew.)
 * The tools are loaded when the first such field is shown; one can write at once.
 */
export function Editor(props: EditorProps) {
  const { value, onChange, rows = 6, hasFocus, onSubmit, onCancel } = props;
  const ownId = useId();
  const id = props.id ?? ownId;
  const field = useRef<HTMLTextAreaElement>(null);
  const [isPreview, setPreview] = useState(false);
  const [Toolbar, setToolbar] = useState<ComponentType<ToolbarProps> | undefined>(() => loaded);
  useEffect(() => {
    // Without the network there are none, and one can write.
    if (!loaded)
      loadTools().then(
        (tools) => setToolbar(() => tools),
        () => {},
      );
  }, []);
  useLayoutEffect(() => {
    if (!hasFocus) return;
    field.current?.focus();
    field.current?.setSelectionRange(value.length, value.length);
  }, []);
  return (
    <div class="editor">
      <div class="editor-head">
        <fieldset class="editor-modes" aria-label={words.modes}>
          {[false, true].map((each) => (
            <Button
              key={String(each)}
              text={each ? words.preview : words.write}
              look="quiet"
              aria-pressed={isPreview === each}
              onClick={() => setPreview(each)}
            />
          ))}
        </fieldset>
        {Toolbar && !isPreview && h(Toolbar, { field, id, onChange, projectId: props.projectId, attach: props.attach })}
      </div>
      {h(
        // Plain until the tools are there.
        'text-expander',
        { keys: '@ #', multiword: '#', class: isPreview ? 'editor-hidden' : undefined },
        <textarea
          ref={field}
          id={id}
          aria-label={props['aria-label']}
          aria-describedby={props['aria-describedby']}
          class="editor-field"
          rows={rows}
          maxLength={props.maxLength}
          placeholder={props.placeholder}
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.defaultPrevented || event.isComposing) return;
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && onSubmit) {
              event.preventDefault();
              onSubmit();
            }
            if (event.key === 'Escape' && onCancel) {
              event.preventDefault();
              event.stopPropagation();
              onCancel();
            }
          }}
        />,
      )}
      {isPreview && (
        <div class="editor-preview">
          {value.trim() ? <Preview text={value} /> : <p class="quiet">{words.nothing}</p>}
        </div>
      )}
    </div>
  );
}

let loaded: ComponentType<ToolbarProps> | undefined;

async function loadTools() {
  loaded = (await import('./toolbar.tsx')).Toolbar;
  return loaded;
}
