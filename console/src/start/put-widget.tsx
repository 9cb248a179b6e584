import { Loaded } from '../parts/page/states.tsx';
import { useSources } from '../parts/sources.ts';
import { ToCopy } from '../parts/text/to-copy.tsx';
import { widgetTag } from '../parts/text/widget-tag.ts';
import { to } from '../router.ts';
import { words } from './messages.ts';

/** The tag of an existing source, or where to create one. */
export function PutWidget() {
  const sources = useSources();
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
