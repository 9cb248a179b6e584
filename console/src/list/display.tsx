import { Tick } from '../parts/form/check.tsx';
import { SelectField } from '../parts/form/select.tsx';
import { Icon } from '../parts/icon.tsx';
import { displayIcon } from '../parts/icons.ts';
import { Popup } from '../parts/popup/popup.tsx';
import { filter, setFilters } from '../router.ts';
import { COLUMNS, type Column, chooseColumns, GROUPINGS, groupingName, nameOf, SORT_KEYS } from './columns.ts';
import { words } from './messages.ts';

/** How a list is divided and sorted, and which columns it has. */
export function Display({ columns }: { readonly columns: readonly Column[] }) {
  const sort = filter('sort');
  const isReversed = sort?.startsWith('-') ?? false;
  const key = SORT_KEYS.find((each) => each === sort?.replace('-', ''));
  return (
    <Popup
      class="button button-quiet"
      label={words.display}
      button={
        <>
          <Icon of={displayIcon} />
          {words.display}
        </>
      }
    >
      <div class="stack list-display">
        <SelectField
          label={words.groupBy}
          value={filter('groupBy')}
          none={words.noGroups}
          options={GROUPINGS.map((each) => [each, groupingName(each)])}
          onChoose={(groupBy) => setFilters({ groupBy: groupBy || undefined }, 'push')}
        />
        <SelectField
          label={words.sortBy}
          value={key}
          none={words.newestFirst}
          options={SORT_KEYS.map((each) => [each, nameOf(each)])}
          onChoose={(chosen) => setFilters({ sort: chosen || undefined }, 'push')}
        />
        {key && (
          <Tick
            label={words.reversed}
            checked={isReversed}
            onChange={(chosen) => setFilters({ sort: `${chosen ? '-' : ''}${key}` }, 'push')}
          />
        )}
        <fieldset class="field">
          <legend>{words.columns}</legend>
          {COLUMNS.map((column) => (
            <Tick
              key={column}
              label={nameOf(column)}
              checked={columns.includes(column)}
              onChange={(isChosen) =>
                chooseColumns(COLUMNS.filter((each) => (each === column ? isChosen : columns.includes(each))))
              }
            />
          ))}
        </fieldset>
      </div>
    </Popup>
  );
}
