import type { listWorkItems } from '@worktrack/contracts/work-items/lists/list';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';
import { words as frame } from '../frame/messages.ts';
import { goToProject } from '../go-to-project.ts';
import { hasWord } from '../language/has.ts';
import { useRested } from '../parts/form/rested.ts';
import { Suggest } from '../parts/form/suggest.tsx';
import { Icon } from '../parts/icon.tsx';
import { settingsIcon } from '../parts/icons.ts';
import { TypeIcon } from '../parts/item/item-icons.tsx';
import { words as common } from '../parts/messages.ts';
import { shortcuts } from '../parts/page/shortcuts.ts';
import { said } from '../parts/page/states.tsx';
import { Dialog } from '../parts/popup/dialog.tsx';
import { useProjects } from '../parts/project.ts';
import { go, to, toPanel } from '../router.ts';
import { isOffered, SCREENS } from '../screens.ts';
import { identity, may } from '../session.ts';
import { PARTS } from '../settings/project/parts.ts';
import { SECTIONS } from '../settings/sections.ts';
import { words } from './messages.ts';
import { isPaletteOpen } from './open.ts';

const MAX_ITEMS = 10;
const MAX_OTHERS = 8;
const MAX_RECENT = 6;

interface Choice {
  /** Tells it from the others. */
  readonly value: string;
  readonly text: string;
  readonly icon?: JSX.Element;
  /** The key that does the same. */
  readonly keys?: string;
  readonly run: () => void;
}

/** What was chosen last in this tab, the last one first. */
let recent: readonly Choice[] = [];
/** Whoever chose it: the next one to sign in here sees nothing of it. */
let chosenBy: string | undefined;

/** Finds items of all projects by ID or words, and whatever else one can do here or go to, by its name. */
export function Palette() {
  const [text, setText] = useState('');
  const [isEntered, setEntered] = useState(false);
  const typed = text.trim();
  const { items, isKnown: areItemsKnown, error } = useFound(typed);
  const { others, areProjectsKnown } = useOthers();
  const isKnown = areItemsKnown && areProjectsKnown;
  // An action is of the screen that offers it: of another one, it would be done to what is no longer in sight.
  const last = lastOf(identity.value?.user.id).flatMap(
    (choice) => (isItem(choice) ? choice : others.find(({ value }) => value === choice.value)) ?? [],
  );
  const isNamed = ({ text: name }: Choice) => typed.split(/\s+/).every((part) => hasWord(name, part));
  // What has been named by its ID comes first, then what one can do, then what the words find.
  const exact = items.filter(({ value }) => value === idOf(typed));
  const choices = [
    ...exact,
    ...(typed === '' ? last : []),
    ...others.filter((each) => isNamed(each) && !(typed === '' && last.includes(each))),
  ]
    .slice(0, typed === '' ? undefined : MAX_OTHERS)
    .concat(items.filter((item) => !exact.includes(item)));

  const choose = (choice: Choice | undefined) => {
    if (!choice) return;
    recent = [choice, ...recent.filter(({ value }) => value !== choice.value)].slice(0, MAX_RECENT);
    close();
    // Once the dialog has given the focus back.
    setTimeout(choice.run);
  };
  // Enter before the answer: it means what is found.
  useEffect(() => {
    if (!isEntered || !isKnown) return;
    setEntered(false);
    choose(choices[0]);
  }, [isEntered, isKnown]);

  return (
    <Dialog title={words.title} onClose={close} atTop>
      <Suggest
        aria-label={words.field}
        placeholder={words.field}
        inPlace
        value={text}
        suggestions={choices}
        onInput={(written) => {
          setText(written);
          setEntered(false);
        }}
        onChoose={(value) => choose(choices.find((choice) => choice.value === value))}
        onEnter={() => setEntered(true)}
      />
      <p class="quiet palette-hint" role="status">
        {error ? `${common.failed} ${said(error).text}` : isKnown && choices.length === 0 ? words.nothing : words.hint}
      </p>
    </Dialog>
  );
}

function close(): void {
  isPaletteOpen.value = false;
}

function lastOf(userId: string | undefined): readonly Choice[] {
  if (chosenBy !== userId) recent = [];
  chosenBy = userId;
  return recent;
}

const ITEM = 'item ';
const isItem = ({ value }: Choice) => value.startsWith(ITEM);
const idOf = (typed: string) => ITEM + typed.toUpperCase();

/** @returns isKnown: these are what the text finds, and not what an earlier one did */
function useFound(typed: string): {
  readonly items: readonly Choice[];
  readonly isKnown: boolean;
  readonly error?: unknown;
} {
  const search = useRested(typed);
  const isAsked = typed !== '' && may('work-items:read');
  const found = useQuery({
    key: ['found', search],
    load: (signal) => call<typeof listWorkItems>('GET /api/work-items', { search, limit: MAX_ITEMS }, { signal }),
    follows: ({ subject }) => subject.kind === 'work_item',
    keepsEarlier: true,
    enabled: search !== '' && isAsked,
  });
  if (!isAsked) return { items: [], isKnown: true };
  const items = (found.data?.workItems ?? []).map(({ taskId, title, type, columnName }) => ({
    value: ITEM + taskId,
    text: `${taskId} ${title} · ${columnName}`,
    icon: <TypeIcon type={type} isNamed={false} />,
    run: () => go(toPanel(taskId)),
  }));
  const isAnswered = (found.isSuccess && !found.isPlaceholderData) || found.isError;
  const isKnown = search === typed && isAnswered && !found.isFetching;
  return { items, isKnown, error: isKnown ? found.error : undefined };
}

/** What the screen offers by keys, the screens, the projects, and all that is set. */
function useOthers(): { readonly others: readonly Choice[]; readonly areProjectsKnown: boolean } {
  const { data: projects = [], isLoading } = useProjects();
  // Of those with the same key, the one that it runs: of the panel, and not of what is beside it.
  const byKey = new Map(shortcuts().map((each) => [each.keys, each]));
  const actions = [...byKey.values()].flatMap(({ keys, label, run }) => (run ? [{ keys, label, run }] : []));
  const others = [
    ...actions.map(({ keys, label, run }) => ({ value: `action ${label}`, text: label, keys, run })),
    ...SCREENS.flatMap((screen) =>
      screen.name && isOffered(screen)
        ? [
            {
              value: `screen ${screen.path}`,
              text: screen.name(),
              ...(screen.icon && { icon: <Icon of={screen.icon} /> }),
              run: () => go(to(screen.path)),
            },
          ]
        : [],
    ),
    ...projects.map(({ id, name }) => ({
      value: `project ${id}`,
      text: `${common.project}: ${name}`,
      run: () => goToProject(id),
    })),
    ...settings(projects.length > 0),
  ];
  return { others, areProjectsKnown: !isLoading };
}

/** The sections of the settings, those of the project that one is in, and what one is told of. */
function settings(hasProject: boolean): readonly Choice[] {
  const sections = SECTIONS.filter(({ isOffered }) => isOffered());
  const isProjectOffered = hasProject && sections.some(({ id }) => id === 'project');
  const parts = isProjectOffered ? PARTS.filter(({ isOffered }) => isOffered()) : [];
  const choice = (text: string, href: string): Choice => ({
    value: `settings ${text}`,
    text,
    icon: <Icon of={settingsIcon} />,
    run: () => go(href),
  });
  return [
    ...sections.map(({ id, name }) => choice(`${frame.settings}: ${name()}`, to(`settings/${id}`))),
    ...parts.map(({ id, name }) => choice(`${frame.projectSettings}: ${name()}`, to('settings/project', { part: id }))),
    ...(may('work-items:read') ? [choice(`${frame.settings}: ${common.notifications}`, to('notifications'))] : []),
  ];
}
