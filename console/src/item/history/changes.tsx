import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { isRecord } from '../../api/service-error.ts';
import { number, utcDay } from '../../language/format.ts';
import { useItem } from '../../parts/item/item.ts';
import { itemWords } from '../../parts/item/item-words.ts';
import { fieldWords } from '../../parts/item/plain-fields.ts';
import { words as common } from '../../parts/messages.ts';
import { later } from '../../parts/page/later.tsx';
import { words as filterWords } from '../../views/filters/messages.ts';
import { ItemLink } from '../item-link.tsx';
import { words } from '../messages.ts';

const TextDiff = later(() => import('./text-diff.tsx').then((module) => module.TextDiff), { isQuiet: true });

/** What a field is called on the page. */
export function fieldName(field: string): string {
  const names: Readonly<Record<string, string>> = {
    ...{
      title: words.title,
      description: words.description,
      type: filterWords.type,
      labels: common.labels,
      ...fieldWords,
    },
    ...{ assignee: words.assignee, parentId: words.parent, metadata: words.metadata, leaseState: words.agent },
  };
  return names[field] ?? field;
}

/** What an update changed, field by field, from what to what. */
export function Changes({ changes }: { readonly changes: Readonly<Record<string, unknown>> }) {
  return (
    <ul class="plain history-changes">
      {Object.entries(changes).map(
        ([field, change]) => isRecord(change) && <Change key={field} {...{ field, change }} />,
      )}
    </ul>
  );
}

interface ChangeProps {
  readonly field: string;
  /** Values as the history keeps them, the beginning of those that are large. */
  readonly change: Readonly<Record<string, unknown>>;
}

function Change({ field, change }: ChangeProps) {
  const { from, to } = change;
  const isCut = change.fromTruncated === true || change.toTruncated === true;
  const cut = isCut && <p class="quiet">{words.onlyBeginning}</p>;
  if (field === 'metadata') {
    return (
      <li>
        <MetadataChange from={from} to={to}>
          {cut}
        </MetadataChange>
      </li>
    );
  }
  if (field === 'title' || field === 'description') {
    return (
      <li>
        <TextDiff from={from === null ? '' : String(from)} to={to === null ? '' : String(to)} />
        {cut}
      </li>
    );
  }
  return (
    <li>
      <span class="quiet">{fieldName(field)}:</span>{' '}
      <span>
        <Value {...{ field, value: from }} />
      </span>{' '}
      →{' '}
      <span>
        <Value {...{ field, value: to }} />
      </span>
    </li>
  );
}

interface MetadataChangeProps {
  readonly from: unknown;
  readonly to: unknown;
  readonly children: ComponentChildren;
}

/** Only which of its keys, until more is asked for. */
function MetadataChange({ from, to, children }: MetadataChangeProps) {
  const [isOpen, setOpen] = useState(false);
  const keys = [from, to].flatMap((values) => (isRecord(values) ? Object.keys(values) : []));
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{[...new Set(keys)].join(', ') || words.metadata}</summary>
      {isOpen && (
        <>
          <TextDiff from={asText(from)} to={asText(to)} />
          {children}
        </>
      )}
    </details>
  );
}

function Value({ field, value }: { readonly field: string; readonly value: unknown }) {
  const parent = useItem(field === 'parentId' && typeof value === 'string' ? value : null).data;
  if (parent) return <ItemLink item={parent} />;
  if (field === 'assignee' && value === null) return words.nobody;
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return '–';
  if (Array.isArray(value)) return value.map(String).join(', ');
  if (typeof value === 'number') return number(value);
  if (field.endsWith('Date')) return utcDay(String(value));
  return ((itemWords as Readonly<Record<string, unknown>>)[String(value)] as string) ?? String(value);
}

const asText = (value: unknown) =>
  isRecord(value) && Object.keys(value).length > 0 ? JSON.stringify(value, null, 2) : '';
