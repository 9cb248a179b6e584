import type { createKey } from '@worktrack/contracts/keys/keys';
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { queries } from '../api/query.ts';
import { AGENT_PERMISSIONS } from '../parts/agent-permissions.ts';
import { useBusy } from '../parts/busy.ts';
import { Button } from '../parts/button.tsx';
import { words as common } from '../parts/messages.ts';
import { secretWords } from '../parts/text/secret-messages.ts';
import { ToCopy } from '../parts/text/to-copy.tsx';
import { may } from '../session.ts';
import { words } from './messages.ts';

/** The entry for this service in an MCP client's configuration (docs/mcp-clients.md), with a key created on the spot: it is in this page and nowhere else. */
export function ConnectAgent({ projectId }: { readonly projectId: string | undefined }) {
  const [key, setKey] = useState<string>();
  const { isBusy, run } = useBusy(common.notCreated);
  const make = () =>
    run(async () => {
      const permissions = AGENT_PERMISSIONS.filter(may);
      const made = await call<typeof createKey>('POST /api/api-keys', { name: words.keyName, permissions });
      void queries.invalidateQueries({ queryKey: ['keys'] });
      if (made.key === null) throw new Error(secretWords.lostSecret);
      setKey(made.key);
    });
  const url = `${location.origin}/mcp${projectId === undefined ? '' : `?projectId=${projectId}`}`;
  const entry = {
    mcpServers: {
      worktrack: { type: 'http', url, headers: { Authorization: `Bearer ${key ?? words.yourKey}` } },
    },
  };
  return (
    <li class="panel">
      <h2>{words.connect}</h2>
      <p class="quiet">{words.connectHelp}</p>
      <ToCopy text={JSON.stringify(entry, null, 2)} label={words.copyEntry} />
      <div role="status">{key !== undefined && words.keyMade}</div>
      {may('api-keys:write') && key === undefined && (
        <div>
          <Button text={words.makeKey} aria-disabled={isBusy} onClick={() => void make()} />
        </div>
      )}
    </li>
  );
}
