import './chips.css';
import type { Board } from '@worktrack/contracts/projects/board';
import { asPart } from '@worktrack/contracts/query-values';
import { useState } from 'preact/hooks';
import { nearUtcDay } from '../../language/format.ts';
import { has } from '../../language/has.ts';
import { Button } from '../../parts/button.tsx';
import { Tick } from '../../parts/form/check.tsx';
import { DateField } from '../../parts/form/date-field.tsx';
import { Field as Labelled } from '../../parts/form/field.tsx';
import { TagRemove } from '../../parts/form/tag-remove.tsx';
import { Icon } from '../../parts/icon.tsx';
import { filterIcon } from '../../parts/icons.ts';
import { DAYS, type DayField, fieldWords, isDay } from '../../parts/item/plain-fields.ts';
import { words as common } from '../../parts/messages.ts';
import { Menu } from '../../parts/popup/menu.tsx';
import { Popup } from '../../parts/popup/popup.tsx';
import { filter, setFilters } from '../../router.ts';
import { type Field, OF_DAYS, type Parameter, valuesOf } from './filters.ts';
import { nameOfField, words } from './messages.ts';
import { useOptions } from './options.tsx';

const MAX_NAMED = 2;
/** So many are found at a glance. */
const MAX_UNSEARCHED = 8;
/** People never see ids, so this is what is left of a column or label. */
const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

interface ChipsProps {
  readonly fields: readonly Field[];
  readonly projectId: string;
  readonly boards: readonly Board[];
}

/** The filters by value that are set, each a chip in which it is changed, and a menu of those that can be added. */
export function Chips({ fields, projectId, boards }: ChipsProps) {
  const [added, setAdded] = useState<Field | DayField>();
  const set = fields.flatMap((field) =>
    [field, `${field}Not` as const]
      .filter((parameter) => filter(parameter) !== undefined)
      .map((parameter) => ({ field, parameter })),
  );
  const isNew = added !== undefined && !isDay(added) && !set.some(({ parameter }) => parameter === added);
  const shown = isNew ? [...set, { field: added, parameter: added }] : set;
  const done = () => setAdded(undefined);
  return (
    <>
      {shown.map(({ field, parameter }) => (
        <Chip
          // It stays when it is turned into its opposite.
          key={set.some((other) => other.parameter === field) ? parameter : field}
          field={field}
          parameter={parameter}
          projectId={projectId}
          boards={boards}
          opensAtOnce={isNew && parameter === added}
          onDone={done}
        />
      ))}
      {DAYS.filter((of) => added === of || textOf(of)).map((of) => (
        <DayChip key={of} of={of} opensAtOnce={added === of} onDone={done} />
      ))}
      <Menu
        class="button button-quiet"
        label={words.addFilter}
        items={[
          ...fields
            .filter((field) => !set.some((other) => other.field === field))
            .map((field) => ({ label: nameOfField(field), run: () => setAdded(field) })),
          ...DAYS.map((of) => ({ label: fieldWords[of], run: () => setAdded(of) })),
        ]}
      >
        <Icon of={filterIcon} />
        {words.addFilter}
      </Menu>
    </>
  );
}

interface OpenProps {
  readonly opensAtOnce: boolean;
  readonly onDone: () => void;
}

interface ChipProps extends OpenProps, Pick<ChipsProps, 'projectId' | 'boards'> {
  readonly field: Field;
  readonly parameter: Parameter;
}

function Chip({ field, parameter, projectId, boards, opensAtOnce, onDone }: ChipProps) {
  const options = useOptions(field, projectId, boards);
  const [part, setPart] = useState('');
  const values = valuesOf(parameter);
  const isNot = parameter !== field;
  const nameOf = (value: string) =>
    options.find(([each]) => each === value)?.[1] ?? (ID.test(value) ? words.deleted : value);
  const say = isNot ? words.chipNot : words.chip;
  const text = say({ field: nameOfField(field), values: values.length > 0 ? some(values.map(nameOf)) : '…' });
  const change = (changed: readonly string[]) =>
    setFilters({ [parameter]: changed.map(asPart).join(',') || undefined });
  const turn = () => {
    const other: Parameter = isNot ? field : `${field}Not`;
    const all = new Set([...valuesOf(other), ...values]);
    setFilters({ [parameter]: undefined, [other]: [...all].map(asPart).join(',') || undefined });
  };
  // What is chosen and not offered any more can still be taken away.
  const unknown = values.filter((value) => !options.some(([each]) => each === value));
  const offered = [...unknown.map((value) => [value, nameOf(value)] as const), ...options].filter(([, name]) =>
    has(name, part),
  );
  return (
    <span class="tag chip">
      <Popup class="chip-open" label={text} button={text} opensAtOnce={opensAtOnce} onClose={onDone}>
        {values.length > 0 && (
          <div class="row chip-how">
            {[false, true].map((each) => (
              <Button
                key={String(each)}
                text={each ? words.isNoneOf : words.isAnyOf}
                look="quiet"
                aria-pressed={each === isNot}
                onClick={() => each !== isNot && turn()}
              />
            ))}
          </div>
        )}
        {options.length > MAX_UNSEARCHED && (
          <input
            class="input"
            type="search"
            aria-label={words.find}
            placeholder={words.find}
            value={part}
            onInput={({ currentTarget }) => setPart(currentTarget.value)}
          />
        )}
        {offered.map(([value, name, icon]) => (
          <Tick
            key={value}
            checked={values.includes(value)}
            onChange={(isChosen) => change(isChosen ? [...values, value] : values.filter((each) => each !== value))}
            label={
              <>
                {icon}
                <span>{name}</span>
              </>
            }
          />
        ))}
        {offered.length === 0 && <p class="quiet">{common.nothingFound}</p>}
      </Popup>
      <TagRemove
        what={text}
        onClick={() => {
          onDone();
          change([]);
        }}
      />
    </span>
  );
}

function DayChip({ of, opensAtOnce, onDone }: OpenProps & { readonly of: DayField }) {
  const text = textOf(of) || words.chip({ field: fieldWords[of], values: '…' });
  return (
    <span class="tag chip">
      <Popup class="chip-open" label={text} button={text} opensAtOnce={opensAtOnce} onClose={onDone}>
        <div class="stack">
          {OF_DAYS[of].map((name) =>
            name === 'overdue' ? (
              <Tick
                key={name}
                label={words.overdue}
                checked={filter(name) === 'true'}
                onChange={(isChosen) => setFilters({ overdue: isChosen ? 'true' : undefined })}
              />
            ) : (
              <Labelled key={name} label={words[name]}>
                {(control) => (
                  <DateField
                    {...control}
                    value={filter(name) ?? ''}
                    onChange={(date) => setFilters({ [name]: date || undefined })}
                  />
                )}
              </Labelled>
            ),
          )}
        </div>
      </Popup>
      <TagRemove
        what={text}
        onClick={() => {
          onDone();
          setFilters(Object.fromEntries(OF_DAYS[of].map((name) => [name, undefined])));
        }}
      />
    </span>
  );
}

/** Empty: it is narrowed to no such days. */
function textOf(of: DayField): string {
  const parts = OF_DAYS[of].map((name) => {
    const value = filter(name);
    if (name !== 'overdue') return value && `${words[name]} ${dayOf(value)}`;
    return value === 'true' ? words.overdue : value === 'false' && words.notOverdue;
  });
  return parts.filter(Boolean).join(words.or);
}

/** What is no day stays as it is: the service says so. */
const dayOf = (text: string) => (Number.isNaN(Date.parse(text)) ? text : nearUtcDay(text));

function some(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).join(words.or);
  const n = names.length - MAX_NAMED;
  return n > 0 ? words.andMore({ values: shown, n }) : shown;
}
