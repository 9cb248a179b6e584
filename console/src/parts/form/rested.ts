import { useEffect, useState } from 'preact/hooks';

/** Long enough that most who type on have done so. */
const REST_MS = 150;

/** What is typed, once nobody types on: at first nothing. */
export function useRested(typed: string): string {
  const [rested, setRested] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setRested(typed), REST_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return rested;
}
