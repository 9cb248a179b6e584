import { words as parts } from '../../parts/messages.ts';
import './webhooks.css';
import type { Delivery, Webhook } from '@worktrack/contracts/events/webhook';
import type { listDeliveries, replayWebhook, testWebhook } from '@worktrack/contracts/events/webhooks';
import type { RawInput } from '@worktrack/contracts/operation';
import { useId, useState } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { queries, usePages } from '../../api/query.ts';
import { now } from '../../clock.ts';
import { fromNow, number } from '../../language/format.ts';
import { attempt, useBusy } from '../../parts/busy.ts';
import { Button } from '../../parts/button.tsx';
import { Select } from '../../parts/form/select.tsx';
import { tell } from '../../parts/popup/toasts.tsx';
import { When } from '../../parts/when.tsx';
import { filter, setFilters, to } from '../../router.ts';
import { may } from '../../session.ts';
import { words as common } from '../messages.ts';
import { SettingsPages, SettingsSection } from '../section.tsx';
import { words } from './messages.ts';

const PAGE = 50;
const STATES = ['pending', 'delivered', 'failed'] as const satisfies readonly Delivery['state'][];
const TONES = { pending: 'tag', delivered: 'tag tag-good', failed: 'tag tag-bad' } as const;
/** Longer than an endpoint may take to answer. */
const TEST_TIMEOUT_MS = 30_000;

/** What was sent to a webhook, and sending it again. */
export function Deliveries({ webhook: { id, url } }: { readonly webhook: Webhook }) {
  const state = filter('state') as Delivery['state'] | undefined;
  const { isBusy, run } = useBusy(parts.notChanged);
  const pages = usePages({
    key: ['deliveries', id, state],
    load: (cursor, signal) =>
      call<typeof listDeliveries>('GET /api/webhooks/:id/deliveries', { id, state, cursor, limit: PAGE }, { signal }),
    keepsEarlier: true,
  });
  const readAnew = () => queries.invalidateQueries({ queryKey: ['deliveries', id] });
  const test = async () => {
    await run(async () => {
      const sent = await call<typeof testWebhook>(
        'POST /api/webhooks/:id/test',
        { id },
        { timeoutMs: TEST_TIMEOUT_MS },
      );
      if (sent.state === 'delivered') {
        tell(words.testTaken({ status: sent.status ?? 0, ms: sent.durationMs ?? 0 }));
      } else {
        tell(words.testFailed({ why: sent.error ?? String(sent.status) }));
      }
    });
    // Not part of it: it can be tested again meanwhile.
    void readAnew();
  };
  const replay = (what: Pick<RawInput<typeof replayWebhook>, 'after' | 'deliveryIds'>) =>
    attempt(parts.notChanged, async () => {
      const { replayed } = await call<typeof replayWebhook>('POST /api/webhooks/:id/replay', { id, ...what });
      tell(words.replayed({ n: replayed }));
      await readAnew();
    });
  return (
    <SettingsSection
      title={words.deliveries}
      help={url}
      action={may('webhooks:write') && <Button text={words.test} aria-disabled={isBusy} onClick={() => void test()} />}
    >
      <p>
        <a href={to('settings/webhooks')}>← {words.backToList}</a>
      </p>
      <div class="row">
        <Select
          inline
          aria-label={words.state}
          value={state}
          options={STATES.map((each) => [each, words[each]])}
          none={words.anyState}
          onChoose={(chosen) => setFilters({ state: chosen || undefined })}
        />
        {/* Deliveries are not events: nobody is notified of what becomes of them. */}
        <Button text={common.refresh} aria-disabled={pages.isFetching} onClick={() => void readAnew()} />
        {may('webhooks:write') && <ReplayForm onReplay={(after) => replay({ after })} />}
      </div>
      <SettingsPages of={pages} none={words.noDeliveries}>
        {(delivery) => (
          <DeliveryRow key={delivery.id} delivery={delivery} onReplay={() => replay({ deliveryIds: [delivery.id] })} />
        )}
      </SettingsPages>
    </SettingsSection>
  );
}

interface DeliveryRowProps {
  readonly delivery: Delivery;
  readonly onReplay: () => Promise<void>;
}

function DeliveryRow({ delivery, onReplay }: DeliveryRowProps) {
  const { seq, type, subject, state, attempts, status, error, answer, durationMs, createdAt, nextAttemptAt } = delivery;
  const { isBusy, run } = useBusy(parts.notChanged);
  // A test is not in the log, so there is nothing to send again.
  const isTest = seq === 0;
  return (
    <li class="settings-row">
      <div>
        <div class="row">
          <h2>{type}</h2>
          <span class={TONES[state]}>{words[state]}</span>
        </div>
        <ul class="plain row quiet facts settings-facts">
          <li>{isTest ? words.testEvent : words.eventNumber({ seq })}</li>
          <li>{subject.taskId ?? subject.id}</li>
          <li>
            <When at={createdAt} />
          </li>
          <li>{words.attempts({ n: attempts })}</li>
          {status !== null && <li>HTTP {status}</li>}
          {durationMs !== null && <li>{number(durationMs)} ms</li>}
          {state === 'pending' && nextAttemptAt !== null && (
            <li>{words.nextAttempt({ time: fromNow(nextAttemptAt, now.value) })}</li>
          )}
        </ul>
        {error !== null && state !== 'delivered' && <p class="field-error">{error}</p>}
        {answer && (
          <details class="webhooks-answer">
            <summary>{words.answer}</summary>
            <pre>{answer}</pre>
          </details>
        )}
      </div>
      {may('webhooks:write') && !isTest && (
        <Button
          text={words.again}
          aria-label={`${words.again}: ${words.eventNumber({ seq })}`}
          aria-disabled={isBusy}
          onClick={() => void run(onReplay)}
        />
      )}
    </li>
  );
}

function ReplayForm({ onReplay }: { readonly onReplay: (after: number) => Promise<void> }) {
  const id = useId();
  const [after, setAfter] = useState('');
  const { isBusy, run } = useBusy(parts.notChanged);
  const replay = (event: Event) => {
    event.preventDefault();
    if (after !== '') void run(() => onReplay(Number(after)));
  };
  return (
    <form class="row webhooks-replay" onSubmit={replay}>
      <label for={id}>{words.after}</label>
      <input
        id={id}
        class="input input-inline"
        type="number"
        min={0}
        value={after}
        onInput={({ currentTarget }) => setAfter(currentTarget.value)}
      />
      <button type="submit" class="button" aria-disabled={isBusy || after === ''}>
        {words.again}
      </button>
    </form>
  );
}
