import type { getBoard } from '@worktrack/contracts/projects/board-operations';
import type { Priority } from '@worktrack/contracts/work-items/plain-fields';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { useId } from 'preact/hooks';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';
import { dateAndTime } from '../language/format.ts';
import { PRIORITIES } from '../parts/item-values.ts';
import { itemWords } from '../parts/item-words.ts';
import { SelectField } from '../parts/select.tsx';
import { tell, tellFailure } from '../parts/toasts.tsx';
import { may } from '../session.ts';
import { words } from './messages.ts';
import { type Changes, Overtaken, saveItem } from './save.ts';

/** What an item is, apart from its texts; each field is changed in place. */
export function Fields({ item }: { readonly item: WorkItem }) {
  const board = useQuery({
    key: ['board', item.boardId],
    load: (signal) => call<typeof getBoard>('GET /api/boards/:id', { id: item.boardId }, { signal }),
    follows: ({ subject }) => subject.id === item.boardId,
  });
  const save = async (changes: Changes) => {
    try {
      await saveItem(item, changes);
      tell(words.saved);
    } catch (error) {
      if (error instanceof Overtaken) tell(words.overtaken, { label: words.understood, run: () => {} });
      else tellFailure(words.notSaved, error);
    }
  };
  const columns = board.data?.columns ?? [{ id: item.boardColumnId, name: item.columnName }];
  return (
    <div class="panel stack">
      <SelectField
        disabled={!may('work-items:write')}
        label={words.column}
        value={item.boardColumnId}
        options={columns.map(({ id, name }) => [id, name])}
        onChoose={(boardColumnId) => save({ boardColumnId })}
      />
      <SelectField
        disabled={!may('work-items:write')}
        label={words.priority}
        value={item.priority}
        options={PRIORITIES.map((each) => [each, itemWords[each]])}
        onChoose={(priority) => save({ priority: priority as Priority })}
      />
      <Assignee key={item.assignee} item={item} onSave={(assignee) => save({ assignee })} />
      {item.lease && (
        <div class="field">
          <span class="label">{words.agent}</span>
          <span class="row">
            <span class="tag tag-accent">{item.lease.agent}</span>
            {item.lease.stalled && <span class="tag tag-bad">{itemWords.stalled}</span>}
            {item.lease.state === 'awaiting_input' && <span class="tag tag-warn">{itemWords.awaiting_input}</span>}
          </span>
          <span class="quiet">{words.leaseUntil({ time: dateAndTime(item.lease.expiresAt) })}</span>
          {item.lease.note && <span>{item.lease.note}</span>}
        </div>
      )}
      <p class="quiet">
        {words.created}: {dateAndTime(item.createdAt)}
        <br />
        {words.changed}: {dateAndTime(item.updatedAt)}
      </p>
    </div>
  );
}

function Assignee({ item, onSave }: { readonly item: WorkItem; readonly onSave: (assignee: string | null) => void }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{words.assignee}</label>
      <input
        id={id}
        class="input"
        defaultValue={item.assignee ?? ''}
        placeholder={words.nobody}
        maxLength={200}
        readOnly={!may('work-items:write')}
        onChange={({ currentTarget }) => onSave(currentTarget.value.trim() || null)}
      />
    </div>
  );
}
