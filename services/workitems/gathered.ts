interface Asked<Row> {
  readonly refs: Set<string>;
  readonly rows: Promise<ReadonlyMap<string, Row>>;
}

/**
 * Makes one query of the look-ups that calls of one organization make in the same turn of the event loop, as those do that came in one message.
 * @param read by organization; what names nothing is left out
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
 * Lets calls that ask the same thing share its answer: who asks while it is being read gets the next reading, which begins after they asked, so that
 * nobody is told something older than their question.
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
