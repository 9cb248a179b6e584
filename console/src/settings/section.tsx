import type { ComponentChildren } from 'preact';
import { queries } from '../api/query.ts';
import { attempt } from '../parts/busy.ts';
import { Check } from '../parts/form/check.tsx';
import { words as parts } from '../parts/messages.ts';
import { Heading } from '../parts/page/heading.tsx';
import { More, type Paged } from '../parts/page/more.tsx';
import { type Asked, Empty, Loaded } from '../parts/page/states.tsx';
import { tell } from '../parts/popup/toasts.tsx';
import { filter, setFilters } from '../router.ts';

interface SectionProps {
  readonly title: string;
  readonly help: string;
  /** What one can do here besides what the entries offer; nothing if one may not. */
  readonly action?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** What all sections have in common: what this one is about, and what can be created here. */
export function SettingsSection({ title, help, action, children }: SectionProps) {
  return (
    <div class="settings-section">
      <div class="settings-head">
        <div>
          <Heading title={title} />
          <p class="quiet">{help}</p>
        </div>
        {action}
      </div>
      {children}
    </div>
  );
}

interface ListProps<Entry> {
  readonly of: readonly Entry[];
  /** What is said where there are none. */
  readonly none: string;
  readonly children: (entry: Entry) => ComponentChildren;
}

export function SettingsList<Entry>({ of, none, children }: ListProps<Entry>) {
  if (of.length === 0) return <Empty>{none}</Empty>;
  return <ul class="plain settings-list">{of.map(children)}</ul>;
}

interface PagesProps<Entry> extends Omit<ListProps<Entry>, 'of'> {
  readonly of: Paged & Asked<{ readonly pages: readonly { readonly items: readonly Entry[] }[] }>;
}

/** The same of what is read page by page. */
export function SettingsPages<Entry>({ of, ...list }: PagesProps<Entry>) {
  return (
    <>
      <Loaded query={of}>{({ pages }) => <SettingsList of={pages.flatMap(({ items }) => items)} {...list} />}</Loaded>
      <More of={of} />
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  /** In the address, which has it while it is chosen. */
  readonly name: string;
  readonly value: string;
}

/** Whether more is listed, such as what has ended. */
export function FilterChoice({ label, name, value }: ChoiceProps) {
  return (
    <div>
      <Check
        class="settings-check quiet"
        label={label}
        checked={filter(name) === value}
        onChange={(checked) => setFilters({ [name]: checked ? value : undefined })}
      />
    </div>
  );
}

/** Changes what is listed under a key, and shows and says so. */
export function change(key: string, done: string, what: () => Promise<unknown>): Promise<void> {
  return attempt(parts.notChanged, async () => {
    await what();
    void queries.invalidateQueries({ queryKey: [key] });
    tell(done);
  });
}
