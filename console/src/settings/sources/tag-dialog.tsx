import './tag-dialog.css';
import type { Source } from '@worktrack/contracts/feedback/records';
import { LANGUAGES } from '@worktrack/contracts/people/languages';
import { useState } from 'preact/hooks';
import { LANGUAGE_NAMES } from '../../language/language.ts';
import { Field } from '../../parts/form/field.tsx';
import { SelectField } from '../../parts/form/select.tsx';
import { Dialog } from '../../parts/popup/dialog.tsx';
import { ToCopy } from '../../parts/text/to-copy.tsx';
import { type WidgetLook, widgetTag } from '../../parts/text/widget-tag.ts';
import { words } from './messages.ts';

/** The widget's languages: the console's, and more. */
const WIDGET_LANGUAGES = { ...LANGUAGE_NAMES, fr: 'Français', es: 'Español' };
/** The widget's own, in the light theme. */
const DEFAULT_ACCENT = '#4338ca';

/** What goes into a page so that its visitors can give feedback, and how that looks. */
export function TagDialog({ source, onClose }: { readonly source: Source; readonly onClose: () => void }) {
  const [look, setLook] = useState<WidgetLook>({});
  const set = (changes: WidgetLook) => setLook({ ...look, ...changes });
  const { name, publicKey, allowedDomains, enabled } = source;
  const query = new URLSearchParams({ publicKey, ...look });
  return (
    <Dialog title={words.tagOf({ name })} onClose={onClose} wide>
      <div class="tag-dialog">
        <div class="stack">
          <SelectField
            label={words.language}
            value={look.locale}
            options={[...LANGUAGES, 'fr' as const, 'es' as const].map((each) => [each, WIDGET_LANGUAGES[each]])}
            none={words.visitors}
            onChoose={(locale) => set({ locale })}
          />
          <SelectField
            label={words.theme}
            value={look.theme}
            options={[
              ['light', words.light],
              ['dark', words.dark],
            ]}
            none={words.visitors}
            onChoose={(theme) => set({ theme })}
          />
          <SelectField
            label={words.position}
            value={look.position}
            options={[['bottom-left', words.left]]}
            none={words.right}
            onChoose={(position) => set({ position })}
          />
          <Field label={words.accent}>
            {(control) => (
              <input
                {...control}
                class="input tag-dialog-colour"
                type="color"
                value={look.accent ?? DEFAULT_ACCENT}
                onChange={({ currentTarget }) => set({ accent: currentTarget.value })}
              />
            )}
          </Field>
        </div>
        {enabled && (
          <div class="stack">
            <iframe
              class="tag-dialog-preview"
              title={words.preview}
              src={`/widget/preview?${query}`}
              referrerpolicy="no-referrer"
            />
            <p class="quiet">
              {words.previewHelp} {allowedDomains.length > 0 && words.notHere({ host: location.host })}
            </p>
          </div>
        )}
      </div>
      <p>{words.tagHelp}</p>
      <ToCopy text={widgetTag(publicKey, look)} label={words.copyTag} />
    </Dialog>
  );
}
