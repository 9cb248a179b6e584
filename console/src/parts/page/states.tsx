import './states.css';
import type { ComponentChildren } from 'preact';
import { ServiceError } from '../../api/service-error.ts';
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

/** Says what is wrong in the service's own words. */
export function Failed({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  return (
    <div class="state state-failed" role="alert">
      <p>
        <strong>{words.failed}</strong> {wordsOf(error)}
      </p>
      {error instanceof ServiceError && error.requestId && (
        <p class="quiet">{words.requestId({ id: error.requestId })}</p>
      )}
      {retry && (
        <button type="button" class="button" onClick={retry}>
          {words.retry}
        </button>
      )}
    </div>
  );
}

/** There is nothing yet; says what would be here, and how to get it. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="state state-empty">{children}</div>;
}

/** Where a refusal is shown, whatever it was: in the service's own words, but for what it cannot do at the moment. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof ServiceError)) return String(error instanceof Error ? error.message : error);
  if (error.code === 'NETWORK') return words.noAnswer;
  // The same whatever was asked, so it can be said in the language of the page.
  if (error.isTransient) return words.notNow;
  // How to insist is for those who may, and they are asked (change/by-hand.ts).
  const faults = error.details.filter(
    ({ path, message }) => path !== 'force' && path !== 'takeOver' && !error.message.includes(message),
  );
  return [error.message, ...faults.map(({ path, message }) => `${path}: ${message}`)].join(' ');
}

interface Asked<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isFetching: boolean;
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
  const { data, error } = query;
  const retry = () => void query.refetch();
  if (data === undefined) return error && !query.isFetching ? <Failed error={error} retry={retry} /> : <Loading />;
  return (
    <>
      {error ? <Failed error={error} retry={retry} /> : null}
      {children(data)}
    </>
  );
}
