import type { listKeys } from '@worktrack/contracts/keys/keys';
import type { Session } from '@worktrack/contracts/keys/records';
import type { listSessions, revokeSession } from '@worktrack/contracts/keys/sessions';
import { useEffect, useId, useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries, usePages, useQuery } from '../../api/query.ts';
import { now } from '../../clock.ts';
import { fromNow } from '../../language/format.ts';
import { attempt } from '../../parts/busy.ts';
import { Button } from '../../parts/button.tsx';
import { words as parts } from '../../parts/messages.ts';
import { useNames } from '../../parts/people/people.ts';
import { Confirm } from '../../parts/popup/dialog.tsx';
import { When } from '../../parts/when.tsx';
import { filter } from '../../router.ts';
import { identity, may, signOut } from '../../session.ts';
import { words as common } from '../messages.ts';
import { change, FilterChoice, SettingsPages, SettingsSection } from '../section.tsx';
import { words } from './messages.ts';

const PAGE = 50;

export function Sessions() {
  const includeEnded = filter('ended') === 'yes';
  const pages = usePages({
    key: ['sessions', includeEnded],
    load: (cursor, signal) =>
      call<typeof listSessions>('GET /api/sessions', { includeEnded, cursor, limit: PAGE }, { signal }),
    keepsEarlier: true,
  });
  const keys = useQuery({
    // Also for a session whose key is gone.
    key: ['keys', 'of sessions'],
    load: (signal) => call<typeof listKeys>('GET /api/api-keys', { includeRevoked: true }, { signal }),
    follows: ({ subject }) => subject.kind === 'key',
  });
  const nameOf = useNames();
  // Nothing that sessions do is an event.
  useEffect(() => void queries.invalidateQueries({ queryKey: ['sessions'] }, { cancelRefetch: false }), []);
  const keyNames = new Map(keys.data?.map(({ id, name }) => [id, name]));
  return (
    <SettingsSection title={common.sessions} help={words.help}>
      <FilterChoice label={words.showEnded} name="ended" value="yes" />
      <SettingsPages of={pages} none={words.none}>
        {(session) => (
          <SessionRow
            key={session.id}
            session={session}
            userName={nameOf(session.userId)}
            keyName={keyNames.get(session.keyId)}
          />
        )}
      </SettingsPages>
    </SettingsSection>
  );
}

interface SessionRowProps {
  readonly session: Session;
  readonly userName: string;
  readonly keyName: string | undefined;
}

function SessionRow({ session, userName, keyName }: SessionRowProps) {
  const { id, prefix, createdAt, lastUsedAt, expiresAt, revokedAt } = session;
  const [isAsking, setAsking] = useState(false);
  const facts = useId();
  const hasEnded = revokedAt !== null || Date.parse(expiresAt) <= now.value;
  const isOwn = id === identity.value?.key.id;
  const end = () =>
    isOwn
      ? attempt(parts.notChanged, signOut)
      : change('sessions', words.ended({ name: userName }), () =>
          call<typeof revokeSession>('DELETE /api/sessions/:id', { id }),
        );
  return (
    <li class={hasEnded ? 'settings-row settings-ended' : 'settings-row'}>
      <div>
        <div class="row">
          <h2>{userName}</h2>
          {isOwn && <span class="tag tag-accent">{words.yours}</span>}
          {hasEnded && <span class="tag">{common.ended}</span>}
        </div>
        <ul id={facts} class="plain row quiet facts settings-facts">
          <li>
            <code>{prefix}…</code>
          </li>
          {keyName !== undefined && <li>{words.byKey({ name: keyName })}</li>}
          <li>
            {words.began} <When at={createdAt} />
          </li>
          {lastUsedAt !== null && (
            <li>
              {common.lastUsed} <When at={lastUsedAt} />
            </li>
          )}
          {!hasEnded && <li>{words.ends({ time: fromNow(expiresAt, now.value) })}</li>}
        </ul>
      </div>
      {may('api-keys:write') && !hasEnded && (
        <Button
          look="bad"
          text={words.end}
          aria-label={words.endOf({ name: userName })}
          aria-describedby={facts}
          onClick={() => setAsking(true)}
        />
      )}
      {isAsking && (
        <Confirm
          title={words.endOf({ name: userName })}
          text={isOwn ? words.endOwn : words.endOther({ name: userName })}
          action={words.end}
          onConfirm={() => void end()}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  );
}
