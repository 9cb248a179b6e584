import { isRecord } from '../../api/service-error.ts';
import { withoutDirections } from '../../language/fill.ts';
import { dateAndTime, dollars, roughly } from '../../language/format.ts';
import { useKeyNames } from '../../parts/people/key-names.ts';
import { useNames } from '../../parts/people/people.ts';
import { Markdown } from '../../parts/text/markdown.tsx';
import { words } from '../messages.ts';
import { Changes, fieldName } from './changes.tsx';
import type { HistoryEntry } from './past.ts';

const SHOWN_OF_RUN = 6;

/** One thing that happened to an item: the agent, its model and run come first, then whose key it used. */
export function Entry({ entry }: { readonly entry: HistoryEntry }) {
  const { actor, eventType, data, createdAt } = entry;
  const user = useNames()(actor.userId);
  const key = useKeyNames()(actor.keyId, '');
  const { agent, model, run } = actor;
  const others = [model, run && runOf(run), agent && user, key].filter(Boolean);
  return (
    <li>
      <p>
        {sentenceOf(entry, agent ?? user)} <span class="quiet">{withoutDirections(others.join(' · '))}</span>{' '}
        <time class="quiet" dateTime={createdAt}>
          {dateAndTime(createdAt)}
        </time>
      </p>
      {eventType === 'updated' && isRecord(data.changes) && <Changes changes={data.changes} />}
      {eventType === 'comment' && <Markdown text={String(data.text ?? '')} />}
      {eventType === 'ai_session' && <p class="quiet">{sumOf(data)}</p>}
    </li>
  );
}

/** The end of its id: the beginning is the time, which runs of the same minute share. */
export const runOf = (run: string) => words.run({ run: run.slice(-SHOWN_OF_RUN) });

function sentenceOf({ eventType, data }: HistoryEntry, who: string): string {
  switch (eventType) {
    case 'created':
      return words.didCreate({ who });
    case 'updated': {
      const fields = isRecord(data.changes) ? Object.keys(data.changes).map(fieldName) : [];
      return words.didUpdate({ who, fields: fields.join(', ') });
    }
    case 'moved': {
      const [from, to] = [String(data.fromColumn), String(data.toColumn)];
      return data.isAutoSync ? words.didFollow({ from, to }) : words.didMove({ who, from, to });
    }
    case 'comment':
      return words.didComment({ who });
    case 'attachment_added':
      return words.didAttach({ who, name: String(data.fileName) });
    case 'attachment_removed':
      return words.didDetach({ who, name: String(data.fileName) });
    case 'ai_session':
      return words.didSession({ who, model: String(data.model) });
    case 'deleted':
      return words.didDelete({ who });
  }
}

function sumOf({ totalTokens, estimatedCost }: Readonly<Record<string, unknown>>): string {
  const parts = typeof totalTokens === 'number' ? [words.tokenCount({ count: roughly(totalTokens) })] : [];
  if (Number(estimatedCost) >= 0) parts.push(dollars(Number(estimatedCost)));
  return parts.join(' · ');
}
