import type { Health as Found, showHealth } from '@worktrack/contracts/gateway/health';
import { useEffect } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries, useQuery } from '../../api/query.ts';
import { number, unit } from '../../language/format.ts';
import { Loaded } from '../../parts/page/states.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { When } from '../../parts/when.tsx';
import { words as common } from '../messages.ts';
import { SettingsSection } from '../section.tsx';
import { words } from './messages.ts';

const LOOK_EVERY_MS = 10_000;
const KEY = ['health'];

export function Health() {
  const health = useQuery({ key: KEY, load: (signal) => call<typeof showHealth>('GET /api/health', {}, { signal }) });
  useEffect(() => {
    // No event says that something stopped working.
    const looks = setInterval(() => void queries.invalidateQueries({ queryKey: KEY }), LOOK_EVERY_MS);
    return () => clearInterval(looks);
  }, []);
  return (
    <SettingsSection title={common.health} help={words.help}>
      <Loaded query={health}>
        {(found) => (
          <>
            <Components found={found} />
            <Queues found={found} />
            <Facts found={found} />
          </>
        )}
      </Loaded>
    </SettingsSection>
  );
}

const TAGS = { ok: 'tag tag-good', degraded: 'tag tag-warn', missing: 'tag tag-bad' } as const;

function Components({ found: { components, lag } }: { readonly found: Found }) {
  const seconds = new Map(lag.map(({ service, seconds }) => [service, seconds]));
  return (
    <section>
      <h2>{words.components}</h2>
      <table class="table" aria-label={words.components}>
        <TableHead names={[words.component, words.state, words.answersIn]} numbers={[2]} />
        <tbody>
          {components.map(({ name, state, detail }) => {
            const took = seconds.get(name);
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  <span class={TAGS[state]}>{words[state]}</span> {detail}
                </td>
                <td class="number">{typeof took === 'number' && unit(Math.ceil(took * 1_000), 'millisecond')}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

function Queues({ found: { queues } }: { readonly found: Found }) {
  return (
    <section>
      <h2>{words.queues}</h2>
      <table class="table" aria-label={words.queues}>
        <TableHead names={[words.queue, words.waiting, words.readers]} numbers={[1, 2]} />
        <tbody>
          {queues.map(({ name, messages, consumers }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{number(messages)}</td>
              <td class="number">{number(consumers)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Facts({ found: { lastBackup, versions } }: { readonly found: Found }) {
  return (
    <section>
      <h2>{words.versions}</h2>
      <ul class="plain row quiet facts">
        {Object.entries(versions).map(([name, version]) => (
          <li key={name}>
            {name} {version ?? words.notKnown}
          </li>
        ))}
        <li>
          {words.lastBackup}: {lastBackup === null ? words.notKnown : <When at={lastBackup} />}
        </li>
      </ul>
    </section>
  );
}
