import './audit.css';
import type { AuditEntry } from '@worktrack/contracts/audit/entry';
import type { listAudit } from '@worktrack/contracts/audit/operations';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { usePages } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { DateField } from '../../parts/form/date-field.tsx';
import { Field } from '../../parts/form/field.tsx';
import { useWritten } from '../../parts/form/written.ts';
import { useNames } from '../../parts/people/people.ts';
import { When } from '../../parts/when.tsx';
import { filter, setFilters, to } from '../../router.ts';
import { words as common } from '../messages.ts';
import { SettingsPages, SettingsSection } from '../section.tsx';
import { words } from './messages.ts';

const PAGE = 50;
const FILTERS = ['actor', 'action', 'target', 'from', 'to'] as const;

/** The audit log, newest first. Whoever acts and what it is about are buttons that narrow it down. */
export function Audit() {
  const chosen = Object.fromEntries(FILTERS.map((name) => [name, filter(name) || undefined]));
  const pages = usePages({
    key: ['audit', ...FILTERS.map((name) => chosen[name])],
    load: async (cursor, signal) => {
      const range = { from: beginningOf(chosen.from), to: beginningOf(chosen.to) };
      const asked = { ...chosen, ...range, cursor, limit: PAGE };
      const { entries: items, nextCursor } = await call<typeof listAudit>('GET /api/audit', asked, { signal });
      return { items, nextCursor };
    },
    keepsEarlier: true,
  });
  const nameOf = useNames();
  return (
    <SettingsSection title={common.audit} help={words.help}>
      <Filters chosen={chosen} />
      <SettingsPages of={pages} none={words.none}>
        {(entry) => <EntryRow key={entry.id} entry={entry} nameOf={nameOf} />}
      </SettingsPages>
      <p class="quiet">{words.export}</p>
    </SettingsSection>
  );
}

/** Of a day where the visitor is, as the times of entries are shown; the service would take it for one in UTC. */
function beginningOf(date: string | undefined): string | undefined {
  const at = new Date(`${date}T00:00`);
  return Number.isNaN(at.getTime()) ? date : at.toISOString();
}

function Filters({ chosen }: { readonly chosen: Readonly<Record<string, string | undefined>> }) {
  const isFiltered = FILTERS.some((name) => chosen[name] !== undefined);
  const first = useRef<HTMLInputElement>(null);
  const action = useWritten(chosen.action ?? '', (text) => setFilters({ action: text.trim() || undefined }));
  const clear = () => {
    setFilters(Object.fromEntries(FILTERS.map((name) => [name, undefined])));
    // The button goes, and would take the focus with it.
    first.current?.focus();
  };
  return (
    <search class="row" aria-label={words.filters}>
      <Field label={words.action}>
        {(control) => (
          <input {...control} ref={first} class="input" type="search" placeholder="users.update" {...action.field} />
        )}
      </Field>
      {(['from', 'to'] as const).map((name) => (
        <Field key={name} label={words[name]}>
          {(control) => (
            <DateField
              {...control}
              value={chosen[name] ?? ''}
              onChange={(date) => setFilters({ [name]: date || undefined })}
            />
          )}
        </Field>
      ))}
      {isFiltered && <Button text={words.clear} onClick={clear} />}
    </search>
  );
}

interface EntryRowProps {
  readonly entry: AuditEntry;
  readonly nameOf: (userId: string) => string;
}

function EntryRow({ entry, nameOf }: EntryRowProps) {
  const { action, actor, targets, context, outcome, count, changes, at } = entry;
  const who = readable(entry, 'actor.name', actor.name) ?? actor.userId ?? words.system;
  const address = readable(entry, 'context.address', context.address);
  return (
    <li class="settings-row">
      <div class="audit-entry">
        <div class="row">
          <h2>
            <code>{action}</code>
          </h2>
          {outcome === 'denied' && <span class="tag tag-bad">{words.denied}</span>}
          {count !== undefined && <span class="tag">{words.times({ n: count })}</span>}
        </div>
        <ul class="plain row quiet facts settings-facts">
          <li>
            <NarrowByActor id={actor.id} name={who} />
            {actor.type !== 'user' && actor.type !== 'system' && ` (${words[actor.type]})`}
          </li>
          {actor.userId !== null && actor.userId !== actor.id && (
            <li>
              <NarrowByActor id={actor.userId} name={nameOf(actor.userId)} />
            </li>
          )}
          {targets.map(({ type, id, name: written }, index) => {
            const name = readable(entry, `targets.${index}.name`, written) ?? type;
            const shortId = id.slice(-8);
            return (
              <li key={id}>
                <a href={PLACES[type]?.(id) ?? to('settings/keys')}>{name}</a>{' '}
                <Narrow label={words.about({ name: `${name} ${shortId}` })} by={{ target: id }}>
                  <code>{shortId}</code>
                </Narrow>
              </li>
            );
          })}
          <li>
            <When at={at} />
          </li>
          {address !== null && <li>{address}</li>}
        </ul>
        {changes.length > 0 && (
          <ul class="plain audit-changes">
            {changes.map(({ field, old, new: now }, index) => (
              <li key={field}>
                <code>{field}</code>: <del>{shown(readable(entry, `changes.${index}.old`, old))}</del> →{' '}
                <ins>{shown(readable(entry, `changes.${index}.new`, now))}</ins>
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}

interface NarrowProps {
  readonly label: string;
  /** Undefined: there is nothing to narrow by. */
  readonly by: Readonly<Record<string, string>> | undefined;
  readonly children: ComponentChildren;
}

function Narrow({ label, by, children }: NarrowProps) {
  return (
    <button type="button" class="audit-narrow" aria-label={label} disabled={!by} onClick={() => by && setFilters(by)}>
      {children}
    </button>
  );
}

function NarrowByActor({ id, name }: { readonly id: string | null; readonly name: string }) {
  return (
    <Narrow label={words.byActor({ name })} by={id === null ? undefined : { actor: id }}>
      {name}
    </Narrow>
  );
}

/** What was erased has no salt any more, and is a hash: 64 characters that mean nothing to a person. */
function readable<T>({ salts }: AuditEntry, path: string, value: T): T | string {
  const isErased = typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) && !(path in salts);
  return isErased ? words.erased : value;
}

/** Where a person sees what the entry is about, where that is not the keys. */
const PLACES: Partial<Readonly<Record<AuditEntry['targets'][number]['type'], (id: string) => string>>> = {
  project: (id) => to('board', { project: id }),
  work_item: (id) => to(`items/${id}`),
  board: () => to('board'),
  feedback: (id) => to('inbox', { item: id }),
  user: () => to('settings/users'),
  role: () => to('settings/users'),
  session: () => to('settings/sessions'),
  grant: () => to('settings/apps', { of: 'all' }),
  rule: () => to('settings/trust'),
  source: () => to('settings/sources'),
  webhook: () => to('settings/webhooks'),
  audit: () => to('settings/audit'),
  organization: () => to('settings/audit'),
};

function shown(value: unknown): string {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return words.nothing;
  if (Array.isArray(value)) return value.map(String).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
