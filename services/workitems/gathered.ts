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
