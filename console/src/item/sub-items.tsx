import type { createWorkItem } from '@worktrack/contracts/work-items/changes/create';
import type { createWorkItems } from '@worktrack/contracts/work-items/changes/create-items';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';
import { didCreate } from '../change/copy.ts';
import { areTooMany, itemsOf, LinesField, titlesIn } from '../create/lines.tsx';
import { words } from '../create/messages.ts';
import { Button } from '../parts/button.tsx';
import { DialogForm } from '../parts/form/dialog-form.tsx';
import { useDraft } from '../parts/form/draft.ts';
import { Select } from '../parts/form/select.tsx';
import { itemWords } from '../parts/item/item-words.ts';
import { words as common } from '../parts/messages.ts';
import { Dialog } from '../parts/popup/dialog.tsx';
import { tellFailure } from '../parts/popup/toasts.tsx';
import { words as own } from './messages.ts';

type Type = WorkItem['type'];

/** What may be below what, the most frequent first. */
const BELOW: Partial<Readonly<Record<Type, readonly Type[]>>> = {
  epic: ['task', 'feature'],
  feature: ['task', 'story'],
  story: ['task'],
};
export const mayHaveSubItems = ({ type }: WorkItem): boolean => BELOW[type] !== undefined;

/** Where sub-items are written one after the other: Enter makes the next. */
export function NewSubItems({ item }: { readonly item: WorkItem }) {
  const types = BELOW[item.type] ?? [];
  const [type, setType] = useState<Type>('task');
  const { text: title, setText: setTitle } = useDraft(`sub-item.${item.id}`);
  const [lines, setLines] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  // One after the other, so that they are in the order in which they were written.
  const earlier = useRef(Promise.resolve());
  const create = (written: string) => {
    setTitle('');
    earlier.current = earlier.current.then(async () => {
      try {
        await call<typeof createWorkItem>('POST /api/work-items', { type, title: written, ...placeUnder(item) });
        await shown(item);
      } catch (error) {
        tellFailure(own.notAdded({ title: written }), error, {
          label: common.edit,
          // What has been typed since stays.
          run: () => (field.current?.value ? setLines(written) : setTitle(written)),
        });
      }
    });
  };
  return (
    <>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          if (title.trim()) create(title.trim());
        }}
      >
        {types.length > 1 && (
          <Select
            inline
            aria-label={own.subItemType}
            value={type}
            options={types.map((each) => [each, itemWords[each]])}
            onChoose={(chosen) => chosen && setType(chosen)}
          />
        )}
        <input
          ref={field}
          class="input input-inline sub-item-title"
          aria-label={own.newSubItem}
          placeholder={own.newSubItem}
          autocomplete="off"
          value={title}
          onInput={({ currentTarget }) => setTitle(currentTarget.value)}
          onPaste={(event) => {
            const pasted = event.clipboardData?.getData('text/plain') ?? '';
            if (titlesIn(pasted).length < 2) return;
            event.preventDefault();
            setLines(pasted);
          }}
        />
        <Button text={words.splitByLines} onClick={() => setLines('')} />
      </form>
      {lines !== undefined && <Split item={item} type={type} given={lines} onClose={() => setLines(undefined)} />}
    </>
  );
}

interface SplitProps {
  readonly item: WorkItem;
  readonly type: Type;
  readonly given: string;
  readonly onClose: () => void;
}

/** What was written stays, as in the dialog for new items, if it is closed, by accident too. */
function Split({ item, type, given, onClose }: SplitProps) {
  const draft = useDraft(`lines.${item.id}`);
  const [isChain, setChain] = useState(false);
  const lines = { text: draft.text, isChain };
  useEffect(() => {
    const begun = titlesIn(draft.text);
    if (!titlesIn(given).every((each) => begun.includes(each)))
      draft.setText([draft.text, given].filter(Boolean).join('\n'));
  }, [given]);
  const n = titlesIn(lines.text).length;
  const create = async () => {
    const { projectId, boardId, ...place } = placeUnder(item);
    const items = itemsOf(lines, { type, ...place });
    const made = await call<typeof createWorkItems>('POST /api/work-items/batch', { projectId, boardId, items });
    draft.clear();
    onClose();
    didCreate(
      words.added({ n: items.length }),
      made.items.map((each) => ({ ...each, version: 1 })),
    );
    await shown(item);
  };
  return (
    <Dialog title={words.splitByLines} onClose={onClose}>
      <DialogForm
        action={words.add({ n })}
        failed={common.notCreated}
        isReady={n > 0 && !areTooMany(lines)}
        onSend={create}
        onClose={onClose}
      >
        <LinesField
          value={lines}
          rows={8}
          onChange={(changed) => {
            draft.setText(changed.text);
            setChain(changed.isChain);
          }}
        />
      </DialogForm>
    </Dialog>
  );
}

const placeUnder = ({ projectId, boardId, id }: WorkItem) => ({
  ...{ projectId, boardId, boardColumnId: 'Backlog', parentId: id },
});

/** Works even when there is no stream of events. */
const shown = (item: WorkItem) => queries.invalidateQueries({ queryKey: ['children', item.id] });
