import type {
  ChatFormat,
  getNotificationSettings,
  MailTimes,
  NotificationKind,
  NotificationSettings,
  QuietHours,
  updateNotificationSettings,
} from '@worktrack/contracts/events/notifications';
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { queries, useQuery } from '../api/query.ts';
import { language } from '../language/language.ts';
import { attempt } from '../parts/busy.ts';
import { Check } from '../parts/form/check.tsx';
import { Field, TextField } from '../parts/form/field.tsx';
import { SelectField } from '../parts/form/select.tsx';
import { useWritten } from '../parts/form/written.ts';
import { words as parts } from '../parts/messages.ts';
import { Loaded } from '../parts/page/states.tsx';
import { Browsers } from './browsers.tsx';
import { words } from './messages.ts';

const ROUTE = '/api/me/notifications';
const SETTINGS = ['notifications', 'settings'];
const MAIL_TIMES: readonly MailTimes[] = ['off', 'at_once', 'hourly', 'daily'];
const CHATS: readonly (readonly [ChatFormat, string])[] = [
  ['slack', 'Slack'],
  ['teams', 'Teams'],
  ['discord', 'Discord'],
];
const NIGHT = { from: '22:00', to: '07:00' };

type Change = Parameters<typeof call<typeof updateNotificationSettings>>[1];

/** One after the other, so that what was chosen last is what stays. */
let earlier: Promise<unknown> = Promise.resolve();

const save = (change: Change) =>
  attempt(words.notChanged, async () => {
    // At once: the next change is made upon it.
    queries.setQueryData<NotificationSettings>(
      SETTINGS,
      (now) => now && ({ ...now, ...change, kinds: { ...now.kinds, ...change.kinds } } as NotificationSettings),
    );
    const said = { language: language.value, ...change };
    const turn = earlier.then(() => call<typeof updateNotificationSettings>(`PATCH ${ROUTE}`, said));
    const ended = turn.catch(() => {});
    earlier = ended;
    try {
      const saved = await turn;
      // An earlier answer knows nothing of what was chosen since.
      if (earlier === ended) queries.setQueryData(SETTINGS, saved);
    } catch (error) {
      void queries.invalidateQueries({ queryKey: SETTINGS });
      throw error;
    }
  });

/** Of what the user is told, where, and when not. */
export function Settings() {
  const settings = useQuery({
    key: SETTINGS,
    load: (signal) => call<typeof getNotificationSettings>(`GET ${ROUTE}`, {}, { signal }),
  });
  return (
    <Loaded query={settings}>
      {({ kinds, mail, webhook, quietHours }) => (
        <div class="stack">
          <Kinds kinds={kinds} />
          <fieldset class="stack">
            <legend>{words.elsewhere}</legend>
            <SelectField
              label={words.mail}
              value={mail}
              options={MAIL_TIMES.map((times) => [times, words[times]])}
              onChoose={(times) => times && void save({ mail: times })}
            />
            <Browsers />
            <Chat webhook={webhook} />
            <Quiet quietHours={quietHours} />
          </fieldset>
        </div>
      )}
    </Loaded>
  );
}

function Kinds({ kinds }: Pick<NotificationSettings, 'kinds'>) {
  return (
    <fieldset class="stack">
      <legend>{words.told}</legend>
      {(Object.keys(kinds) as NotificationKind[]).map((kind) => (
        <Check
          key={kind}
          class="row"
          label={words[kind]}
          checked={kinds[kind]}
          onChange={(checked) => void save({ kinds: { [kind]: checked } })}
        />
      ))}
    </fieldset>
  );
}

function Chat({ webhook }: Pick<NotificationSettings, 'webhook'>) {
  const [format, setFormat] = useState<ChatFormat>(webhook?.format ?? 'slack');
  const [url, setUrl] = useState(webhook?.url ?? '');
  const submit = (event: Event) => {
    event.preventDefault();
    void save({ webhook: url.trim() === '' ? null : { url, format } });
  };
  return (
    <form class="stack" onSubmit={submit}>
      <SelectField
        label={words.chat}
        value={format}
        options={CHATS}
        onChoose={(chosen) => chosen && setFormat(chosen)}
      />
      <TextField label={words.chatAddress} help={words.chatHelp} value={url} onChange={setUrl} spellcheck={false} />
      {webhook?.problem && <p role="status">{words.stopped({ why: webhook.problem })}</p>}
      <div class="row">
        <button type="submit" class="button">
          {parts.save}
        </button>
      </div>
    </form>
  );
}

function Quiet({ quietHours }: Pick<NotificationSettings, 'quietHours'>) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const change = (end: Partial<QuietHours>) =>
    void save({ quietHours: { ...(quietHours ?? NIGHT), timeZone, ...end } });
  return (
    <div class="stack">
      <Check
        class="row"
        label={words.quiet}
        checked={quietHours !== null}
        onChange={(checked) => (checked ? change({}) : void save({ quietHours: null }))}
      />
      {quietHours && (
        <>
          <div class="row">
            <TimeField label={words.from} value={quietHours.from} onChange={(from) => change({ from })} />
            <TimeField label={words.until} value={quietHours.to} onChange={(to) => change({ to })} />
          </div>
          <p class="quiet">{words.quietHelp({ timeZone: quietHours.timeZone })}</p>
        </>
      )}
    </div>
  );
}

interface TimeFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function TimeField({ label, value, onChange }: TimeFieldProps) {
  const { field } = useWritten(value, (time) => time && onChange(time));
  return <Field label={label}>{(control) => <input {...control} class="input" type="time" {...field} />}</Field>;
}
