import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** By `organizationId`, hashed (docs/scaling.md). `keys` is not sharded: keys and tokens are found by their hash, before it is known whose they are. */
const SHARDED = ['work-items', 'feedback', 'events'] as const;

/** What operations ask of all shards, or of a collection that stays on one, by database and collection: why that is right. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'work-items effects': 'sharded by its id, which begins with the organization',
  'work-items exclusions': 'named by the organization, and no larger than there are organizations',
  'work-items work_items': '$lookup by id of what an index has found in the same organization',
  'feedback effects': 'sharded by its id, which begins with the organization',
  'feedback exclusions': 'named by the organization, and no larger than there are organizations',
  'feedback sources': 'small and not sharded: a source is found by its public key, before it is known whose it is',
  'feedback quotas': 'one for each organization, whose id it has; not sharded',
  'feedback turns': 'one for each kind of work in the background; not sharded',
  'feedback deletedSources': 'small and not sharded: those whose feedback is still to be deleted',
  'events effects': 'sharded by its id, which begins with the organization',
  'events exclusions': 'named by the organization, and no larger than there are organizations',
  'events heads': 'one for each organization, whose id it has; sharded by it',
  'events log': 'by the id of an event, of which one batch is asked: whether it was logged before',
  'events audit': 'by the id of an entry, of which one batch is asked: whether it was entered before',
  'events audit_unsigned': 'one for each organization that has entries to be signed; not sharded',
  'events audit_refusals': 'of the last minutes, from all organizations; not sharded',
  'events erasures': 'few and not sharded: users erased a moment ago, of whichever organization',
  'events webhooks': 'small and not sharded: those that are due, of whichever organization',
  'events dispatchers': 'the replicas that send webhooks; not sharded',
  'events notification_channels': 'small and not sharded: two for each user, and those that are due, of whichever organization',
};

test('every query of an operation names its shard, or is one that is told why not', () => {
  const found = new Set<string>();
  const unknown: string[] = [];
  for (const database of SHARDED) {
    const rows = readFileSync(join(import.meta.dirname, `plans/${database}.md`), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(2);
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows) {
      const query = row.split(' | ')[1] ?? '';
      const collection = /(?:find|aggregate|update|delete|distinct|count|lookup|Modify) (\w+)/.exec(query)?.[1];
      // Within a part of an `$or` alone, it would not name the shard of the others.
      if (/\borganizationId\b/.test(query.split(' (')[0] ?? '')) continue;
      const place = `${database} ${collection}`;
      if (place in ELSEWHERE) found.add(place);
      else unknown.push(`${place}: ${query}`);
    }
  }
  expect(unknown).toEqual([]);
  expect([...found].toSorted()).toEqual(Object.keys(ELSEWHERE).toSorted());
});
