import { filter, go, path, setFilters, to } from './router.ts';
import { firstScreen, screenAt } from './screens.ts';

/** The same screen of another project. Filters belong to the project, unless the screen says that they do not. */
export function goToProject(id: string): void {
  const { screen } = screenAt(path.value) ?? {};
  const [first = ''] = path.value.split('/');
  // An item is in one project; a plan's chooser is in each.
  const root = screenAt(first) ? first : firstScreen();
  if (screen?.isOfAll) setFilters({ project: id, board: undefined }, 'push');
  else go(to(root, { ...Object.fromEntries((screen?.keeps ?? []).map((name) => [name, filter(name)])), project: id }));
}
