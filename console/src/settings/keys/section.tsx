import type { listKeys, MAX_LISTED_KEYS, revokeKey } from '@worktrack/contracts/keys/keys';
import type { ApiKey } from '@worktrack/contracts/keys/records';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries, usePages } from '../../api/query.ts';
import { now } from '../../clock.ts';
import { fromNow } from '../../language/format.ts';
import { Button } from '../../parts/button.tsx';
import { useNames } from '../../parts/people/people.ts';
import { Confirm } from '../../parts/popup/dialog.tsx';
import { When } from '../../parts/when.tsx';
import { filter } from '../../router.ts';
import { identity, may } from '../../session.ts';
import { LastUsed } from '../last-used.tsx';
import { words as common } from '../messages.ts';
import { InProjects } from '../projects.tsx';
import { change, FilterChoice, SettingsPages, SettingsSection } from '../section.tsx';
import { MayDo } from './may-do.tsx';
import { words } from './messages.ts';
import { NewKey } from './new-key.tsx';
import { RotateKey } from './rotate-key.tsx';

/** In one answer. Not imported: the contract's schemas would come along. */
const KEYS_PER_PAGE: typeof MAX_LISTED_KEYS = 1_000;

export function Keys() {
  const [isMaking, setMaking] = useState(false);
  // Not in its row, which may go, and the new key with it, before that was copied.
  const [rotated, setRotated] = useState<ApiKey>();
  const includeRevoked = filter('ended') === 'yes';
  const pages = usePages({
    key: ['keys', includeRevoked],
    load: async (cursor, signal) => {
      const items = await call<typeof listKeys>('GET /api/api-keys', { includeRevoked, cursor }, { signal });
      return { items, nextCursor: items.length < KEYS_PER_PAGE ? null : (items.at(-1)?.id ?? null) };
    },
    follows: ({ subject }) => subject.kind === 'key',
    keepsEarlier: true,
  });
  const nameOf = useNames();
  // The last use of a key is not an event.
  useEffect(() => void queries.invalidateQueries({ queryKey: ['keys'] }, { cancelRefetch: false }), []);
  return (
    <SettingsSection
      title={common.keys}
      help={words.help}
      action={may('api-keys:write') && <Button look="main" text={words.newKey} onClick={() => setMaking(true)} />}
    >
      <FilterChoice label={words.showEnded} name="ended" value="yes" />
      <SettingsPages of={pages} none={words.none}>
        {(key) => <KeyRow key={key.id} apiKey={key} userName={nameOf(key.userId)} onRotate={() => setRotated(key)} />}
      </SettingsPages>
      {isMaking && <NewKey onClose={() => setMaking(false)} />}
      {rotated && <RotateKey apiKey={rotated} onClose={() => setRotated(undefined)} />}
    </SettingsSection>
  );
}

interface KeyRowProps {
  readonly apiKey: ApiKey;
  readonly userName: string;
  readonly onRotate: () => void;
}

function KeyRow({ apiKey, userName, onRotate }: KeyRowProps) {
  const { id, name, prefix, permissions, projects, createdAt, lastUsedAt, expiresAt, revokedAt, replacedBy } = apiKey;
  const [isAsking, setAsking] = useState(false);
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= now.value;
  const hasEnded = revokedAt !== null || isExpired;
  // The one by which one is signed in: itself, or as the key of the session.
  const isOwn = id === identity.value?.session?.keyId;
  const revoke = () =>
    change('keys', words.revoked({ name }), () => call<typeof revokeKey>('DELETE /api/api-keys/:id', { id }));
  return (
    <li class={hasEnded ? 'settings-row settings-ended' : 'settings-row'}>
      <div>
        <div class="row">
          <h2>{name}</h2>
          {isOwn && <span class="tag tag-accent">{words.yours}</span>}
          {revokedAt !== null && <span class="tag tag-bad">{words.revokedTag}</span>}
          {revokedAt === null && isExpired && <span class="tag tag-warn">{words.expiredTag}</span>}
          {replacedBy !== null && !hasEnded && <span class="tag tag-warn">{words.replacedTag}</span>}
        </div>
        <ul class="plain row quiet facts settings-facts">
          <li>
            <code>{prefix}…</code>
          </li>
          <li>{words.actsAs({ name: userName })}</li>
          <InProjects ids={projects} />
          <li>
            {common.created} <When at={createdAt} />
          </li>
          <li>
            <LastUsed at={lastUsedAt} />
          </li>
          {expiresAt !== null && !hasEnded && <li>{words.expires({ time: fromNow(expiresAt, now.value) })}</li>}
        </ul>
        <MayDo permissions={permissions} />
      </div>
      {may('api-keys:write') && !hasEnded && (
        <div class="row">
          {replacedBy === null && (
            <Button text={words.rotate} aria-label={words.rotateOf({ name })} onClick={onRotate} />
          )}
          <Button
            look="bad"
            text={words.revoke}
            aria-label={words.revokeOf({ name })}
            onClick={() => setAsking(true)}
          />
        </div>
      )}
      {isAsking && (
        <Confirm
          title={words.revokeOf({ name })}
          text={isOwn ? `${words.revokeText} ${words.revokeOwn}` : words.revokeText}
          action={words.revoke}
          onConfirm={() => void revoke()}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  );
}
