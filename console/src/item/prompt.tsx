import type { generateWorkItemPrompt, getWorkItemPrompt } from '@worktrack/contracts/work-items/agents/prompts';
import type { WorkItem } from '@worktrack/contracts/work-items/work-item';
import { call } from '../api/call.ts';
import { queries, useQuery } from '../api/query.ts';
import { ServiceError } from '../api/service-error.ts';
import { dateAndTime } from '../language/format.ts';
import { useBusy } from '../parts/busy.ts';
import { Button } from '../parts/button.tsx';
import { Loaded } from '../parts/page/states.tsx';
import { tell } from '../parts/popup/toasts.tsx';
import { Copy } from '../parts/text/copy.tsx';
import { Markdown } from '../parts/text/markdown.tsx';
import { may } from '../session.ts';
import { words } from './messages.ts';
import { Part } from './part.tsx';

/** A model may take two minutes for it. */
const PATIENCE_MS = 130_000;

export function Prompt({ item }: { readonly item: WorkItem }) {
  const key = ['prompt', item.id];
  const { isBusy, run } = useBusy(words.promptNotWritten);
  const prompt = useQuery({
    key,
    load: async (signal) => {
      try {
        return await call<typeof getWorkItemPrompt>('GET /api/work-items/:id/prompt', { id: item.id }, { signal });
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'NOT_FOUND') return null;
        throw error;
      }
    },
    follows: ({ subject, type }) => subject.id === item.id && type === 'work_item.updated',
  });
  const write = () =>
    run(async () => {
      const route = 'POST /api/work-items/:id/prompt';
      await call<typeof generateWorkItemPrompt>(route, { id: item.id }, { timeoutMs: PATIENCE_MS });
      await queries.invalidateQueries({ queryKey: key });
      tell(words.promptWritten);
    });
  return (
    <Part title={words.prompt}>
      <Loaded query={prompt}>
        {(found) =>
          found ? (
            <>
              <details>
                <summary>{dateAndTime(found.generatedAt)}</summary>
                <Markdown text={found.prompt} />
              </details>
              <Copy text={found.prompt} />
            </>
          ) : (
            <p class="quiet">{words.noPrompt}</p>
          )
        }
      </Loaded>
      {may('work-items:write') && (
        <div>
          <Button text={words.writePrompt} aria-disabled={isBusy} onClick={() => !isBusy && void write()} />
        </div>
      )}
    </Part>
  );
}
