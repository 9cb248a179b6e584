import type { listSources } from '@worktrack/contracts/feedback/sources';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';
import { Loaded } from '../parts/page/states.tsx';
import { ToCopy } from '../parts/text/to-copy.tsx';
import { widgetTag } from '../parts/text/widget-tag.ts';
import { to } from '../router.ts';
import { words } from './messages.ts';

/** The tag of an existing source, or where to create one. */
export function PutWidget() {
  const sources = useQuery({
    key: ['sources'],
    load: (signal) => call<typeof listSources>('GET /api/feedback/sources', {}, { signal }),
    follows: ({ subject }) => subject.kind === 'source',
  });
  return (
    <li class="panel">
      <h2>{words.widget}</h2>
      <p class="quiet">{words.widgetHelp}</p>
      <Loaded query={sources}>
        {(all) => {
          const source = all.find(({ type, enabled }) => type === 'widget' && enabled);
          return source && <ToCopy text={widgetTag(source.publicKey)} label={words.copyTag} />;
        }}
      </Loaded>
      <p>
        <a href={to('settings/sources')}>{words.toSources}</a>
      </p>
    </li>
  );
}
