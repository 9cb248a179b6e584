import './states.css';
import type { ComponentChildren } from 'preact';
import { ServiceError } from '../../api/service-error.ts';
import { Button } from '../button.tsx';
import { words } from '../messages.ts';

// What a screen, or a part of one, shows while it has nothing else to show.

export function Loading({ what }: { readonly what?: string }) {
  return (
    <div class="state state-loading" role="status">
      <span class="spinner" aria-hidden="true" />
      {what ?? words.loading}
    </div>
  );
}

/** Says what is wrong. */
export function Failed({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  return (
    <div class="state state-failed" role="alert">
      <p>
        <strong>{words.failed}</strong> <Refused {...said(error)} />
      </p>
      {error instanceof ServiceError && error.requestId && (
        <p class="quiet">{words.requestId({ id: error.requestId })}</p>
      )}
      {retry && <Button text={words.retry} onClick={retry} />}
    </div>
  );
}

/** There is nothing yet; says what would be here, and how to get it. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="state state-empty">{children}</div>;
}

/** What is said of a refusal, whatever it was. */
export interface Said {
  readonly text: string;
  /** The service's own words besides, in English; empty: they say no more. */
  readonly original: string;
}

export function said(error: unknown): Said {
  if (error instanceof AggregateError) {
    const each = error.errors.map(said);
    return { text: together(each.map(({ text }) => text)), original: together(each.map(({ original }) => original)) };
  }
  if (!(error instanceof ServiceError)) {
    return { text: String(error instanceof Error ? error.message : error), original: '' };
  }
  if (error.code === 'NETWORK') return { text: words.noAnswer, original: '' };
  // The same whatever was asked.
  const seconds = error.retryAfterSeconds;
  if (error.isTransient) return { text: seconds ? words.notBefore({ seconds }) : words.notNow, original: '' };
  const sentence = error.sentence();
  if (!sentence) return { text: ownWords(error), original: '' };
  return { text: sentence.text, original: sentence.isSufficient ? '' : ownWords(error) };
}

/** Several at once: each once. */
const MAX_TOGETHER = 3;
const together = (texts: readonly string[]): string => [...new Set(texts)].slice(0, MAX_TOGETHER).join(' ').trim();

function ownWords(error: ServiceError): string {
  // How to insist is for those who may, and they are asked (change/by-hand.ts).
  const faults = error.details.filter(
    ({ path, message }) => path !== 'force' && path !== 'takeOver' && !error.message.includes(message),
  );
  return [error.message, ...faults.map(({ path, message }) => `${path}: ${message}`)].join(' ');
}

/** Says what was refused, in the language of the page; in the service's own words besides, where these say more. */
export function Refused({ text, original }: Said) {
  return (
    <>
      {text}
      {original && (
        <span class="refused-original" lang="en">
          {original}
        </span>
      )}
    </>
  );
}

export interface Asked<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isFetching: boolean;
  /** Why it is being tried again. */
  readonly failureReason?: unknown;
  refetch(): unknown;
}

/** The state of a request: loading, failed, or what it shows of the answer. An answer that cannot be refreshed stays, and says so. */
export function Loaded<T>({
  query,
  children,
}: {
  readonly query: Asked<T>;
  readonly children: (data: T) => ComponentChildren;
}) {
  const { data, error, failureReason } = query;
  const retry = () => void query.refetch();
  if (data === undefined) {
    if (error && !query.isFetching) return <Failed error={error} retry={retry} />;
    const seconds = failureReason instanceof ServiceError && failureReason.retryAfterSeconds;
    return seconds ? <Loading what={words.waiting({ seconds })} /> : <Loading />;
  }
  return (
    <>
      {error ? <Failed error={error} retry={retry} /> : null}
      {children(data)}
    </>
  );
}
