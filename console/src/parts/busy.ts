import { useRef, useState } from 'preact/hooks';

/** One thing at a time: what a button or a form does, and whether it is in progress. A second press meanwhile does nothing. */
export function useBusy(): { readonly isBusy: boolean; run(what: () => Promise<void>): Promise<void> } {
  const [isBusy, setBusy] = useState(false);
  const runs = useRef(false);
  return {
    isBusy,
    async run(what) {
      if (runs.current) return;
      runs.current = true;
      setBusy(true);
      try {
        await what();
      } finally {
        runs.current = false;
        setBusy(false);
      }
    },
  };
}
