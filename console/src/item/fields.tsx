import type { getBoard } from '@worktrack/contracts/projects/board-operations';
import type { Priority } from '@worktrack/contracts/work-items/plain-fields';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { useId, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';
import { dateAndTime } from '../language/format.ts';
import { Field } from '../parts/field.tsx';
import { PRIORITIES } from '../parts/item-values.ts';
import { itemWords } from '../parts/item-words.ts';
import { LabelsField } from '../parts/labels-field.tsx';
import { words as common } from '../parts/messages.ts';
import { Reason } from '../parts/reason.tsx';
import { SelectField } from '../parts/select.tsx';
import { isSentBack } from '../parts/send-back.ts';
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
  const [goingTo, setGoingTo] = useState<string>();
  const roleOf = (id: string) => board.data?.columns.find((column) => column.id === id)?.role;
  const isBack = (to: string) => isSentBack(item.type, roleOf(item.boardColumnId), roleOf(to));
  const columns = board.data?.columns ?? [{ id: item.boardColumnId, name: item.columnName }];
  return (
    <div class="panel stack">
      {goingTo && (
        <Reason
          taskId={item.taskId}
          onSend={(reason) => {
            setGoingTo(undefined);
            void save({ boardColumnId: goingTo, reason });
          }}
          onClose={() => setGoingTo(undefined)}
        />
      )}
      <SelectField
        key={`column ${goingTo}`}
        disabled={!may('work-items:write')}
        label={words.column}
        value={item.boardColumnId}
        options={columns.map(({ id, name }) => [id, name])}
        onChoose={(to) => (isBack(to) ? setGoingTo(to) : void save({ boardColumnId: to }))}
      />
      <SelectField
        disabled={!may('work-items:write')}
        label={words.priority}
        value={item.priority}
        options={PRIORITIES.map((each) => [each, itemWords[each]])}
        onChoose={(priority) => save({ priority: priority as Priority })}
      />
      <LabelsField
        disabled={!may('work-items:write')}
        label={common.labels}
        projectId={item.projectId}
        names={item.labels.map(({ name }) => name)}
        onChange={(labels) => save({ labels })}
      />
      <Field label={common.dueDate}>
        {(control) => (
          <input
            {...control}
            class="input"
            type="date"
            readOnly={!may('work-items:write')}
            value={item.dueDate ?? ''}
            onChange={({ currentTarget }) => save({ dueDate: currentTarget.value || null })}
          />
        )}
      </Field>
      <Field label={common.estimate}>
        {(control) => (
          <input
            {...control}
            class="input"
            type="number"
            min={0}
            step="any"
            readOnly={!may('work-items:write')}
            value={item.estimate ?? ''}
            onChange={({ currentTarget }) => save({ estimate: numberIn(currentTarget.value) })}
          />
        )}
      </Field>
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

const numberIn = (text: string) => (text === '' ? null : Number(text));

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
