interface Asked<Row> {
  readonly refs: Set<string>;
  readonly rows: Promise<ReadonlyMap<string, Row>>;
}

/**
 * Combines the lookups that one organization's calls make in the same turn of the event loop, such as those from one message, into one query.
 * @param read by organization; unknown ids are left out
 */
export function gathered<Row>(
  read: (organizationId: string, refs: readonly string[]) => Promise<ReadonlyMap<string, Row>>,
): (organizationId: string, ref: string) => Promise<Row | null> {
  const asked = new Map<string, Asked<Row>>();
  return async (organizationId, ref) => {
    let mine = asked.get(organizationId);
    if (!mine) {
      const refs = new Set<string>();
      const rows = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        asked.delete(organizationId);
        return read(organizationId, [...refs]);
      });
      mine = { refs, rows };
      asked.set(organizationId, mine);
    }
    mine.refs.add(ref);
    return (await mine.rows).get(ref) ?? null;
  };
}

/**
 * Lets calls that ask for the same thing share the result: a call that arrives during a read gets the next one, which starts after it asked, so that
 * nobody gets a result older than their question.
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
