import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servers } from '../../../../test/support/servers.ts';
import { uuidAt } from '../../../../test/support/uuid-at.ts';
import { createLog } from '../../process/logging.ts';
import { uuidv7 } from '../../process/uuid.ts';
import { connectDatabase, disconnectDatabase } from '../connection.ts';
import { type OrderedRead, walkIndex } from '../walk-index.ts';
import { inOrderByWindows } from './in-order.ts';

const schema = new mongoose.Schema({ _id: String, organizationId: String }, { collection: 'bursts' });
schema.index({ organizationId: 1, _id: -1 });
const BurstModel = mongoose.model('Burst', schema);

beforeAll(async () => {
  const { mongodbUrl, databasePrefix } = await servers();
  await connectDatabase({ url: mongodbUrl, database: `${databasePrefix}_order`, log: createLog('test', 'silent') });
});
afterAll(disconnectDatabase);

const BURSTS = 40;
const IN_A_BURST = 250;
const LIMIT = 100;

/** As items come from a plan that is created, or an import: many in some milliseconds, and then none for a while. */
test.each([4_000, 60_000])(
  'a page that ends a burst reads a few bursts and not all that come before, %i ms apart',
  async (apartMs) => {
    const organizationId = uuidv7();
    const now = Date.now();
    const ids = Array.from({ length: BURSTS }, (_, burst) =>
      Array.from({ length: IN_A_BURST }, (_, index) => uuidAt(now - burst * apartMs - Math.floor(index / 10))),
    )
      .flat()
      .toSorted()
      .toReversed();
    await BurstModel.insertMany(ids.map((_id) => ({ _id, organizationId })));
    let read = 0;
    const counting = (async (model, given) => {
      const { $lt = 'g', $gt = '' } = (given.range ?? {}) as { readonly $lt?: string; readonly $gt?: string };
      read += ids.filter((id) => id < $lt && id > $gt && id < ((given.after?.id as string | undefined) ?? 'g')).length;
      return walkIndex(model, given);
    }) as typeof walkIndex;
    const seen: string[] = [];
    let most = 0;
    for (let page = 0; seen.length < ids.length; page++) {
      read = 0;
      const last = seen.at(-1);
      const after = last === undefined ? undefined : { value: last, id: last };
      const asked: OrderedRead = {
        filter: { organizationId },
        order: { field: '_id', direction: -1 },
        limit: LIMIT,
        after,
        present: [],
      };
      const rows = await inOrderByWindows<{ readonly _id: string }>(BurstModel, asked, counting);
      seen.push(...rows.map(({ _id }) => _id));
      // The first begins with a minute, whatever is in it.
      if (page > 0) most = Math.max(most, read);
    }
    expect(seen).toEqual(ids);
    expect(most).toBeLessThan(ids.length / 4);
  },
);
