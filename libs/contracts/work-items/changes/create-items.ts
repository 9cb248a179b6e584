import { z } from 'zod';
import { ids } from '../../examples.ts';
import { BoardId, ColumnRef, ItemRef, isItemName, ProjectId, RecordId } from '../../fields.ts';
import { operation } from '../../operation.ts';
import { MAX_DEPENDENCIES } from '../work-item.ts';
import { createWorkItem } from './create.ts';
import { referringIn, tellFaultsWithin } from './references.ts';

const MAX_ITEMS = 100;
const REF = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,49}$/;

/** An item of the same call, by `#` and its `ref`, or one that exists. */
const ItemOrRef = z
  .string()
  .refine(
    (value) => isItemName(value) || (value.startsWith('#') && REF.test(value.slice(1))),
    'must be a UUID, a task ID such as W-T-12, or # and the ref of an item of this call',
  )
  .transform((value) => (value.startsWith('#') ? value : ItemRef.parse(value)));

const { boardId: _, boardColumnId: __, projectId: ___, ...fields } = createWorkItem.input.shape;

/** For all items of a call that do not say it themselves. */
const place = { boardId: BoardId.optional(), boardColumnId: ColumnRef.optional() };

/** If the form is right, the service tells of references, along with what it alone can know. If not, all is told that can be seen without it. */
const hasFaultsOfForm = ({ value, issues }: z.core.ParsePayload): boolean => {
  const { items } = (value ?? {}) as { readonly items?: unknown };
  return issues.length > 0 && Array.isArray(items) && items.length <= MAX_ITEMS;
};
const tellRest = (items: readonly unknown[], context: z.RefinementCtx): void => {
  tellFaultsWithin(items.map(referringIn), (index, field, message) =>
    context.addIssue({ code: 'custom', path: ['items', index, field], message }),
  );
};

export const createWorkItems = operation({
  name: 'workItems.createMany',
  summary: 'Create up to 100 work items that may refer to each other: all of them, or none.',
  permissions: ['work-items:write'],
  effect: 'create',
  input: z
    .strictObject({
      projectId: ProjectId.optional(),
      ...place,
      items: z
        .array(
          z.strictObject({
            ref: z.string().regex(REF, 'must be up to 50 letters, digits, _, . and -').optional(),
            ...fields,
            ...place,
            parentId: ItemOrRef.optional(),
            dependsOn: z.array(ItemOrRef).max(MAX_DEPENDENCIES).optional(),
          }),
        )
        .min(1)
        .max(MAX_ITEMS),
    })
    .superRefine(({ items }, context) => tellRest(items, context), { when: hasFaultsOfForm }),
  output: z.object({
    /** In the order of the call. */
    items: z
      .array(
        z.object({
          ref: z.string().optional(),
          id: RecordId,
          taskId: z.string(),
          /** false: there was one with this external id already, which is unchanged. */
          created: z.boolean(),
        }),
      )
      .max(MAX_ITEMS),
    warnings: z.array(z.string()).optional(),
  }),
  errors: ['NOT_FOUND'],
  example: {
    input: {
      items: [
        { ref: 'themes', title: 'Themes', type: 'epic' },
        { ref: 'colours', title: 'Name all colours', type: 'task', parentId: '#themes' },
        { title: 'Add a dark colour scheme', type: 'task', parentId: '#themes', dependsOn: ['#colours'] },
      ],
    },
    output: {
      items: [
        { ref: 'themes', id: ids.epic, taskId: 'W-E-2', created: true },
        { ref: 'colours', id: ids.dependency, taskId: 'W-T-13', created: true },
        { id: ids.task, taskId: 'W-T-14', created: true },
      ],
    },
  },
  rest: 'POST /api/work-items/batch',
  mcp: {
    tool: 'create_work_items',
    title: 'Create many work items',
    description:
      'items: as for create_work_item, by default in the Backlog. ref names one within the call: parentId "#a", dependsOn ["#a"].',
    opaque: ['items'],
  },
});
