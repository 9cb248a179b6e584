import { useState } from 'preact/hooks';
import { dollars, percent, roughly } from '../language/format.ts';
import { Button } from '../parts/button.tsx';
import { useKeyNames } from '../parts/people/key-names.ts';
import { to } from '../router.ts';
import { words } from './messages.ts';
import { costOf, type Group, type GroupName, useTitles } from './usage.ts';

/** Rows of a table; the others are shown on request. */
const SHOWN = 8;
/** Sessions without a lease, or without a known key. */
const UNKNOWN = 'unknown';
/** What is below no epic. */
const NO_EPIC = 'none';

interface ByGroupProps {
  readonly name: Exclude<GroupName, 'day'>;
  readonly groups: readonly Group[];
  /** For all of them, in dollars. */
  readonly total: number;
}

/** What each epic, model, agent or key cost, and its share: the most expensive first. */
export function ByGroup({ name, groups, total }: ByGroupProps) {
  const [isLong, setLong] = useState(false);
  // What used nothing, as people's verdicts do, is no cost.
  const used = groups.filter((group) => group.totalTokens > 0 || costOf(group) > 0);
  const sorted = used.toSorted((one, other) => costOf(other) - costOf(one));
  const shown = isLong ? sorted : sorted.slice(0, SHOWN);
  const isEpic = name === 'epic';
  const titles = useTitles(isEpic ? shown.flatMap(({ key, label }) => (key === NO_EPIC ? [] : [label])) : []);
  const keyName = useKeyNames();
  const nameOf = ({ key, label }: Group) => {
    if (key === UNKNOWN) return <span class="quiet">{words.unknown}</span>;
    if (name === 'key') return keyName(key);
    if (!isEpic) return label;
    if (key === NO_EPIC) return <span class="quiet">{words.noEpic}</span>;
    return (
      <>
        <a href={to(`items/${label}`)}>{label}</a> {titles.get(label)}
      </>
    );
  };
  return (
    <section class="panel costs-group" aria-label={words[name]}>
      <table class="table">
        <caption>{words[name]}</caption>
        <thead class="unseen">
          <tr>
            <th scope="col">{words.name}</th>
            <th scope="col">{words.cost}</th>
            <th scope="col">{words.tokens}</th>
            <th scope="col">{words.sessions}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((group) => {
            const part = total > 0 ? costOf(group) / total : 0;
            return (
              <tr key={group.key}>
                <th scope="row">
                  <span class="costs-name">{nameOf(group)}</span>
                  <progress class="meter" value={part} aria-hidden="true" />
                </th>
                <td class="number">
                  <strong>{costWords(group)}</strong>
                  <span class="quiet costs-part">{percent(part)}</span>
                </td>
                <td class="number quiet">{words.tokenCount({ count: roughly(group.totalTokens) })}</td>
                <td class="number quiet">{words.sessionCount({ n: group.sessions })}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {sorted.length > SHOWN && (
        <Button
          look="quiet"
          text={isLong ? words.fewer : words.all({ n: sorted.length })}
          aria-expanded={isLong}
          onClick={() => setLong(!isLong)}
        />
      )}
    </section>
  );
}

/** “Nothing” would be wrong if none of its sessions has a known price. */
function costWords(group: Group): string {
  return group.unpricedSessions === group.sessions ? words.noPrice : dollars(costOf(group));
}
