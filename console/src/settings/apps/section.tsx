import type { listGrants, revokeGrant } from '@worktrack/contracts/keys/grants';
import type { Grant } from '@worktrack/contracts/keys/records';
import { useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { usePages } from '../../api/query.ts';
import { now } from '../../clock.ts';
import { sentenceOf } from '../../connect/permission-sentences.tsx';
import { fromNow } from '../../language/format.ts';
import { Button } from '../../parts/button.tsx';
import { useNames } from '../../parts/people/people.ts';
import { Confirm } from '../../parts/popup/dialog.tsx';
import { ToCopy } from '../../parts/text/to-copy.tsx';
import { When } from '../../parts/when.tsx';
import { filter } from '../../router.ts';
import { identity } from '../../session.ts';
import { LastUsed } from '../last-used.tsx';
import { words as common } from '../messages.ts';
import { InProjects } from '../projects.tsx';
import { change, FilterChoice, SettingsPages, SettingsSection } from '../section.tsx';
import { Attempts } from './attempts.tsx';
import { words } from './messages.ts';

const PAGE = 50;

/** The apps that one has connected, and for owners those of everybody; how to connect one, and what became of each attempt. */
export function Apps() {
  const isOwner = identity.value?.user.role === 'owner';
  const all = isOwner && filter('of') === 'all';
  const includeEnded = filter('ended') === 'yes';
  const pages = usePages({
    key: ['grants', all, includeEnded],
    load: (cursor, signal) =>
      call<typeof listGrants>('GET /api/grants', { all, includeEnded, cursor, limit: PAGE }, { signal }),
    follows: ({ subject }) => subject.kind === 'grant',
    keepsEarlier: true,
  });
  const nameOf = useNames();
  return (
    <SettingsSection title={common.apps} help={words.help}>
      <div class="stack">
        <p>{words.address}</p>
        <ToCopy text={`${location.origin}/connect`} label={words.copyAddress} />
        <p class="quiet">
          {words.readOnlyAddress} <code>{`${location.origin}/connect/readonly`}</code>
        </p>
      </div>
      <div class="row">
        {isOwner && <FilterChoice label={words.ofAll} name="of" value="all" />}
        <FilterChoice label={words.showEnded} name="ended" value="yes" />
      </div>
      <SettingsPages of={pages} none={words.none}>
        {(grant) => <GrantRow key={grant.id} grant={grant} userName={all ? nameOf(grant.userId) : undefined} />}
      </SettingsPages>
      <Attempts all={all} />
    </SettingsSection>
  );
}

function GrantRow({ grant, userName }: { readonly grant: Grant; readonly userName: string | undefined }) {
  const {
    id,
    clientName: name,
    clientDomain,
    resource,
    permissions,
    projects,
    createdAt,
    lastUsedAt,
    expiresAt,
  } = grant;
  const [isAsking, setAsking] = useState(false);
  const hasEnded = grant.revokedAt !== null || Date.parse(expiresAt) <= now.value;
  const disconnect = () =>
    change('grants', words.disconnected({ name }), () => call<typeof revokeGrant>('DELETE /api/grants/:id', { id }));
  return (
    <li class={hasEnded ? 'settings-row settings-ended' : 'settings-row'}>
      <div>
        <div class="row">
          <h2>{name}</h2>
          {clientDomain === null && <span class="tag tag-warn">{words.unverified}</span>}
          {resource === 'connect/readonly' && <span class="tag">{words.readOnly}</span>}
          {hasEnded && <EndedTag grant={grant} />}
        </div>
        <ul class="plain row quiet facts settings-facts">
          {clientDomain !== null && <li>{clientDomain}</li>}
          {userName !== undefined && <li>{words.of({ name: userName })}</li>}
          <InProjects ids={projects} />
          <li>
            {words.connected} <When at={createdAt} />
          </li>
          <li>
            <LastUsed at={lastUsedAt} />
          </li>
          {!hasEnded && <li>{words.expires({ time: fromNow(expiresAt, now.value) })}</li>}
        </ul>
        <ul class="plain quiet">
          {permissions.map((permission) => (
            <li key={permission}>{sentenceOf(permission)}</li>
          ))}
        </ul>
      </div>
      {!hasEnded && (
        <Button
          look="bad"
          text={words.disconnect}
          aria-label={words.disconnectOf({ name })}
          onClick={() => setAsking(true)}
        />
      )}
      {isAsking && (
        <Confirm
          title={words.disconnectOf({ name })}
          text={words.disconnectText}
          action={words.disconnect}
          onConfirm={() => void disconnect()}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  );
}

function EndedTag({ grant: { endedBecause } }: { readonly grant: Grant }) {
  if (endedBecause === null) return <span class="tag">{common.ended}</span>;
  if (endedBecause === 'revoked') return <span class="tag">{words.revokedTag}</span>;
  return <span class="tag tag-bad">{words.reusedTag}</span>;
}
