import type { Connection } from '@worktrack/contracts/keys/connection';
import { CONNECTION_STEPS } from '@worktrack/contracts/keys/connection-steps';
import type { listConnections } from '@worktrack/contracts/keys/connections';
import { useEffect } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries, useQuery } from '../../api/query.ts';
import { problems } from '../../connect/problems.ts';
import { Button } from '../../parts/button.tsx';
import { Loaded } from '../../parts/page/states.tsx';
import { useNames } from '../../parts/people/people.ts';
import { When } from '../../parts/when.tsx';
import { words as common } from '../messages.ts';
import { SettingsList } from '../section.tsx';
import { words } from './messages.ts';

/** How far each app came that has tried to connect, the first step that never came, and what to do about it. */
export function Attempts({ all }: { readonly all: boolean }) {
  const connections = useQuery({
    key: ['connections', all],
    load: (signal) => call<typeof listConnections>('GET /api/connections', { all }, { signal }),
    keepsEarlier: true,
  });
  const nameOf = useNames();
  // Nothing that an app tries is an event.
  useEffect(() => void queries.invalidateQueries({ queryKey: ['connections'] }, { cancelRefetch: false }), []);
  return (
    <section class="settings-section" aria-labelledby="apps-attempts">
      <div class="settings-head">
        <div>
          <h2 id="apps-attempts">{words.attempts}</h2>
          <p class="quiet">{words.attemptsHelp}</p>
        </div>
        <Button text={common.refresh} onClick={() => void connections.refetch()} />
      </div>
      <Loaded query={connections}>
        {({ items }) => (
          <SettingsList of={items} none={words.noAttempts}>
            {(connection) => (
              <Attempt
                key={connection.id}
                connection={connection}
                userName={all && connection.userId !== null ? nameOf(connection.userId) : undefined}
              />
            )}
          </SettingsList>
        )}
      </Loaded>
    </section>
  );
}

interface AttemptProps {
  readonly connection: Connection;
  readonly userName: string | undefined;
}

function Attempt({ connection, userName }: AttemptProps) {
  const { at, clientName, clientId, userAgent, steps, missing } = connection;
  const problem = steps.find((each) => each.problem);
  return (
    <li class="settings-row">
      <div>
        <h3>{clientName ?? words.unknown}</h3>
        <ul class="plain row quiet facts settings-facts">
          <li>
            <When at={at} />
          </li>
          {userName !== undefined && <li>{words.of({ name: userName })}</li>}
          {clientId !== null && <li>{clientId}</li>}
          {clientName === null && userAgent !== null && <li>{userAgent}</li>}
        </ul>
        <ol class="plain row">
          {CONNECTION_STEPS.map((step) => {
            const seen = steps.find((each) => each.step === step);
            const [tone, state] = seen?.problem
              ? ['tag tag-bad', words.failedStep]
              : seen
                ? ['tag tag-good', words.seen]
                : ['tag', words.notSeen];
            return (
              <li key={step} class={tone}>
                <span class="unseen">{state}: </span>
                <span aria-hidden="true">{seen?.problem ? '×' : seen ? '✓' : '–'}</span> {words[step]}
              </li>
            );
          })}
        </ol>
        <p>{problem?.problem ? problems[problem.problem] : todoFor(missing)}</p>
        {problem?.detail && <p class="quiet">{problem.detail}</p>}
      </div>
    </li>
  );
}

function todoFor(missing: Connection['missing']): string {
  if (missing === null) return words.works;
  return words[`todo:${missing === 'authorize' ? 'client' : missing}`];
}
