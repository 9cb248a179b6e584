/** The first ones with which no organization has more than its share. */
export function withinShares<T extends { readonly organizationId: string }>(
  due: readonly T[],
  underWay: readonly string[],
  share: number,
): T[] {
  const counts = countsOf(underWay);
  return due.filter(({ organizationId }) => {
    const count = (counts.get(organizationId) ?? 0) + 1;
    if (count <= share) counts.set(organizationId, count);
    return count <= share;
  });
}

export function organizationsWith(underWay: readonly string[], share: number): string[] {
  return [...countsOf(underWay)].flatMap(([organizationId, count]) => (count >= share ? [organizationId] : []));
}

function countsOf(organizationIds: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const each of organizationIds) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
}
