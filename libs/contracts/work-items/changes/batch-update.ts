import { z } from 'zod';
import { exampleSummary } from '../../examples.ts';
import { ItemRef } from '../../fields.ts';
import { operation } from '../../operation.ts';
import { warnings } from '../../warnings.ts';
import { plainFields } from '../plain-fields.ts';
import { ExpectedVersion, itemFields, labelChanges, WorkItem, WorkItemSummary } from '../work-item.ts';

const MAX_BATCH_UPDATE = 500;

export const batchUpdateWorkItems = operation({
  name: 'workItems.batchUpdate',
  summary:
    'Change fields of up to 500 work items, each by its own entry. Items that cannot be changed are skipped, for example if somebody else has changed them since.',
  permissions: ['work-items:write'],
  effect: 'update',
  input: z.strictObject({
    items: z
      .array(
        z.strictObject({
          id: ItemRef,
          ...plainFields.changed,
          assignee: itemFields.assignee.nullable().optional(),
          labels: itemFields.labels.optional(),
          ...labelChanges,
          version: ExpectedVersion.optional(),
        }),
      )
      .min(1)
      .max(MAX_BATCH_UPDATE),
  }),
  output: z.object({
    /** How many differ from before. */
    updatedCount: z.int(),
    /** All that were not skipped. */
    items: z.array(WorkItemSummary.extend(WorkItem.pick({ version: true }).shape)).max(MAX_BATCH_UPDATE),
    // The id as given.
    skipped: z.array(z.object({ id: z.string(), reason: z.string() })),
    ...warnings,
  }),
  errors: [],
  example: {
    input: {
      items: [
        { id: 'W-T-14', priority: 'high', addLabels: ['Accessibility'], version: 3 },
        { id: 'W-T-99', priority: 'high' },
      ],
    },
    output: {
      updatedCount: 1,
      items: [{ ...exampleSummary, version: 4 }],
      skipped: [{ id: 'W-T-99', reason: 'There is no such work item.' }],
    },
  },
  rest: 'POST /api/work-items/batch-update',
});
