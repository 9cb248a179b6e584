import { signal } from '@preact/signals';
import { partsIn } from '@worktrack/contracts/query-values';
import type { View } from '@worktrack/contracts/work-items/lists/view';
import type { IconNode } from 'lucide';
import { boardIcon, bulletsIcon } from '../../parts/icons.ts';
import { filter, path, to } from '../../router.ts';
import { PARAMETERS } from '../filters/filters.ts';

/** Those that one sees of the project that one is in, by name (follow.ts). */
export const savedViews = signal<readonly View[]>([]);

/** What a view keeps besides filters: of a list alone, but for the board. */
const SHOWN = ['board', 'sort', 'groupBy', 'columns'];

const layoutOf = ({ filters }: View) => (filters.layout === 'board' ? 'board' : 'list');
export const iconOf = (view: View): IconNode => (layoutOf(view) === 'board' ? boardIcon : bulletsIcon);

/** Where a view is shown: its filters are in the address, where they can be changed, with its id. */
export function addressOf(view: View): string {
  const { id, projectId, filters } = view;
  const { search, ...others } = filters;
  const known = [...PARAMETERS, ...SHOWN].filter((name) => others[name] !== undefined);
  const texts = known.map((name) => [name, [others[name]].flat().join(',')]);
  return to(layoutOf(view), {
    project: projectId,
    view: id,
    ...(search !== undefined && { q: String(search) }),
    ...Object.fromEntries(texts),
  });
}

/** What is shown now, as a view keeps it. */
export function shownHere(also: Readonly<Record<string, string>> = {}): View['filters'] {
  const search = filter('q');
  const set = [...PARAMETERS, ...SHOWN].flatMap((name) => {
    const text = also[name] ?? filter(name);
    if (text === undefined) return [];
    const values = PARAMETERS.includes(name) ? partsIn(text) : [text];
    return [[name, values.length > 1 ? values : text] as const];
  });
  return { layout: path.value, ...(search !== undefined && { search }), ...Object.fromEntries(set) };
}

/** Whether two views show the same in the same way. */
export function isSameView(one: View['filters'], other: View['filters']): boolean {
  const text = (filters: View['filters']) =>
    JSON.stringify(
      Object.entries(filters)
        .map(([name, value]) => [name, [value].flat().join(',')])
        .sort(),
    );
  return text(one) === text(other);
}
