import { useRef, useState } from 'preact/hooks';
import { tellFailure } from './popup/toasts.tsx';

/** @param failed what to say, before the service's own words, if it fails */
export async function attempt(failed: string, what: () => Promise<void>): Promise<void> {
  try {
    await what();
  } catch (error) {
    tellFailure(failed, error);
  }
}

/** One thing at a time: what a button or a form does, and whether it is in progress. A second press meanwhile does nothing. @param failed as for `attempt` */
export function useBusy(failed: string): { readonly isBusy: boolean; run(what: () => Promise<void>): Promise<void> } {
  const { isBusy, run } = useSubmit();
  return { isBusy, run: (what) => run(() => attempt(failed, what)) };
}

/** The same for a form in a dialog, which shows what was refused itself: a message behind the dialog is not seen. */
export function useSubmit(): {
  readonly isBusy: boolean;
  readonly error: unknown;
  run(what: () => Promise<void>): Promise<void>;
} {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const runs = useRef(false);
  return {
    isBusy,
    error,
    async run(what) {
      if (runs.current) return;
      runs.current = true;
      setBusy(true);
      setError(undefined);
      try {
        await what();
      } catch (failure) {
        setError(failure);
      } finally {
        runs.current = false;
        setBusy(false);
      }
    },
  };
}
