import type { Scope } from './scope.ts';
import { limitsOf } from './within.repository.ts';

interface Asked<Row> {
  readonly refs: Set<string>;
  readonly rows: Promise<ReadonlyMap<string, Row>>;
}

/**
 * Combines the lookups that calls make for which the same exists, in the same turn of the event loop, such as those from one message, into one query.
 * @param read by caller; unknown ids are left out
 */
export function gathered<Row>(
  read: (caller: Scope['caller'], refs: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
): (caller: Scope['caller'], ref: string) => Promise<Row | null> {
  const asked = new Map<string, Asked<Row>>();
  return async (caller, ref) => {
    const who = limitsOf(caller);
    let mine = asked.get(who);
    if (!mine) {
      const refs = new Set<string>();
      const rows = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        asked.delete(who);
        return read(caller, [...refs]);
      });
      mine = { refs, rows };
      asked.set(who, mine);
    }
    mine.refs.add(ref);
    return (await mine.rows).get(ref) ?? null;
  };
}

/**
 * Lets calls that ask for the same thing share the result. A call that arrives during a read gets the next one, which starts after it asked, so nobody gets a
 * result older than their question.
 */
export function shared<Answer>(): (key: string, read: () => Promise<Answer>) => Promise<Answer> {
  const readings = new Map<string, { readonly current: Promise<Answer>; next: Promise<Answer> | undefined }>();

  function begin(key: string, read: () => Promise<Answer>): Promise<Answer> {
    const current = read();
    const reading = { current, next: undefined };
    readings.set(key, reading);
    const end = () => {
      if (readings.get(key) === reading && !reading.next) readings.delete(key);
    };
    current.then(end, end);
    return current;
  }

  return (key, read) => {
    const reading = readings.get(key);
    if (!reading) return begin(key, read);
    reading.next ??= reading.current.then(
      () => begin(key, read),
      () => begin(key, read),
    );
    return reading.next;
  };
}
