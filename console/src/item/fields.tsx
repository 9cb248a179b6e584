import type { Board } from '@worktrack/contracts/projects/board';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { useRef, useState } from 'preact/hooks';
import { type Changes, changeItem } from '../change/save.ts';
import { dateAndTime } from '../language/format.ts';
import { has } from '../language/has.ts';
import { BOUNDS } from '../parts/form/bounds.ts';
import { Field } from '../parts/form/field.tsx';
import { SelectField } from '../parts/form/select.tsx';
import { Suggest } from '../parts/form/suggest.tsx';
import { useWritten } from '../parts/form/written.ts';
import { changeTo, choicesOf } from '../parts/item/choices.tsx';
import { useBoardOf } from '../parts/item/item.ts';
import { StateIcon, TypeIcon } from '../parts/item/item-icons.tsx';
import { TYPES } from '../parts/item/item-values.ts';
import { itemWords } from '../parts/item/item-words.ts';
import { LabelsField } from '../parts/item/labels-field.tsx';
import { asStored, CHOSEN, fieldWords, INPUTS, WRITTEN, type WrittenField } from '../parts/item/plain-fields.ts';
import { Reason } from '../parts/item/reason.tsx';
import { isSentBack } from '../parts/item/send-back.ts';
import { words as common } from '../parts/messages.ts';
import { Avatar } from '../parts/people/avatar.tsx';
import { useActiveUsers } from '../parts/people/people.ts';
import { may } from '../session.ts';
import { words as filterWords } from '../views/filters/messages.ts';
import { words } from './messages.ts';

/** What an item is, apart from its texts; each field is changed in place. */
export function Fields({ item }: { readonly item: WorkItem }) {
  const board = useBoardOf(item);
  // Shown at once: where an answer takes long, what one had chosen seemed lost, and what was there before could not be chosen again.
  const [saving, setSaving] = useState<readonly Changes[]>([]);
  const shown = Object.assign({}, item, ...saving) as WorkItem;
  const save = async (changes: Changes, base = item) => {
    setSaving((all) => [...all, changes]);
    const saved = await changeItem(base, changes);
    const end = () => setSaving((all) => all.filter((each) => each !== changes));
    // Whoever reads the item is told what was saved in a task of its own, which is before this one. What was refused is not there: a field that is left must see that.
    if (saved) setTimeout(end);
    else end();
    return saved !== undefined;
  };
  // As it was when the writing began: what others change meanwhile is not overwritten unseen.
  const begun = useRef<WorkItem>(undefined);
  const saveWritten = (changes: Changes) => {
    const base = begun.current ?? item;
    begun.current = undefined;
    return save(changes, base);
  };
  const disabled = !may('work-items:write');
  return (
    <section
      class="item-fields"
      aria-label={words.properties}
      onInputCapture={() => {
        begun.current ??= item;
      }}
      onFocusOut={() => {
        begun.current = undefined;
      }}
    >
      <ColumnField item={shown} columns={board.data?.columns} onSave={save} />
      <SelectField
        disabled={disabled}
        label={filterWords.type}
        value={shown.type}
        options={TYPES.map((each) => [each, itemWords[each], <TypeIcon key={each} type={each} isNamed={false} />])}
        onChoose={(type) => type && void save({ type })}
      />
      {CHOSEN.map((name) => (
        <SelectField
          key={name}
          disabled={disabled}
          label={fieldWords[name]}
          value={shown[name] ?? ''}
          options={choicesOf(name)}
          onChoose={(value) => void save(changeTo(name, value))}
        />
      ))}
      <Assignee itemId={item.id} assigned={shown.assignee ?? ''} onSave={saveWritten} />
      <LabelsField
        disabled={disabled}
        label={common.labels}
        projectId={item.projectId}
        names={item.labels.map(({ name }) => name)}
        onChange={(change) =>
          void changeItem(item, ({ labels = [] }) => ({ labels: change(labels.map(({ name }) => name)) }))
        }
      />
      {WRITTEN.map((name) => (
        <Written key={name} name={name} item={shown} onSave={saveWritten} />
      ))}
      {item.lease && <Lease lease={item.lease} />}
      <p class="quiet item-dates">
        {words.created}: {dateAndTime(item.createdAt)}
        <br />
        {words.changed}: {dateAndTime(item.updatedAt)}
      </p>
    </section>
  );
}

type Save = (changes: Changes) => unknown;

interface ColumnFieldProps {
  readonly item: WorkItem;
  /** Undefined: not read yet. */
  readonly columns: Board['columns'] | undefined;
  readonly onSave: Save;
}

function ColumnField({ item, columns, onSave }: ColumnFieldProps) {
  const [goingTo, setGoingTo] = useState<string>();
  const roleOf = (id: string) => columns?.find((column) => column.id === id)?.role;
  const isBack = (to: string) => isSentBack(item.type, roleOf(item.boardColumnId), roleOf(to));
  const known = columns ?? [{ id: item.boardColumnId, name: item.columnName, role: null }];
  return (
    <>
      {goingTo && (
        <Reason
          taskId={item.taskId}
          onSend={(reason) => {
            setGoingTo(undefined);
            onSave({ boardColumnId: goingTo, reason });
          }}
          onClose={() => setGoingTo(undefined)}
        />
      )}
      <SelectField
        disabled={!may('work-items:write')}
        label={filterWords.boardColumnId}
        value={item.boardColumnId}
        options={known.map(({ id, name, role }) => [id, name, <StateIcon key={id} role={role} />])}
        onChoose={(to) => (isBack(to) ? setGoingTo(to) : onSave({ boardColumnId: to }))}
      />
    </>
  );
}

interface WrittenProps {
  readonly name: WrittenField;
  readonly item: WorkItem;
  readonly onSave: Save;
}

function Written({ name, item, onSave }: WrittenProps) {
  const save = (text: string) => {
    const value = asStored(name, text);
    return value === item[name] || onSave({ [name]: value });
  };
  const { field, isKept } = useWritten(String(item[name] ?? ''), save, `${name}.${item.id}`);
  const type = INPUTS[name];
  return (
    <Field label={fieldWords[name]} help={isKept ? words.unsaved : undefined}>
      {(control) => (
        <input
          {...control}
          class={field.value === '' ? 'input input-unset' : 'input'}
          type={type}
          {...BOUNDS[type]}
          placeholder="–"
          readOnly={!may('work-items:write')}
          {...field}
        />
      )}
    </Field>
  );
}

interface AssigneeProps {
  readonly itemId: string;
  readonly assigned: string;
  readonly onSave: Save;
}

/** A user, or a name of another's choosing: agents are assigned by theirs. */
function Assignee({ itemId, assigned, onSave }: AssigneeProps) {
  const save = (name: string) => onSave({ assignee: name || null });
  const { shown: text, isKept, write, take } = useWritten(assigned, save, `assignee.${itemId}`);
  const users = useActiveUsers();
  const isUnchanged = text === assigned;
  const suggestions = users
    .filter(({ name }) => isUnchanged || has(name, text))
    .map(({ name }) => ({ value: name, text: name, icon: <Avatar name={name} /> }));
  return (
    <Field label={words.assignee} help={isKept ? words.unsaved : undefined}>
      {(control) => (
        <span class={assigned ? 'item-assignee item-assigned' : 'item-assignee'}>
          {assigned && <Avatar name={assigned} />}
          <Suggest
            {...control}
            maxLength={200}
            placeholder={words.nobody}
            disabled={!may('work-items:write')}
            value={text}
            suggestions={suggestions}
            onInput={write}
            onChoose={(name) => {
              write(name);
              void take(name);
            }}
            onEnter={() => void take(text.trim())}
            onLeave={() => void take(text.trim())}
          />
        </span>
      )}
    </Field>
  );
}

function Lease({ lease }: { readonly lease: NonNullable<WorkItem['lease']> }) {
  return (
    <div class="field">
      <span class="label">{words.agent}</span>
      <div class="stack item-lease">
        <span class="row">
          <Avatar name={lease.agent} isAgent />
          <span>{lease.agent}</span>
          {lease.stalled && <span class="tag tag-bad">{itemWords.stalled}</span>}
          {lease.state === 'awaiting_input' && <span class="tag tag-warn">{itemWords.awaiting_input}</span>}
        </span>
        <span class="quiet">{words.leaseUntil({ time: dateAndTime(lease.expiresAt) })}</span>
        {lease.note && <span>{lease.note}</span>}
      </div>
    </div>
  );
}
