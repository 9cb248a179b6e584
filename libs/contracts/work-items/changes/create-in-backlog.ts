import { z } from 'zod';
import { exampleCreated, exampleDependency, exampleEpic, exampleStory, ids } from '../../examples.ts';
import { ItemRef } from '../../fields.ts';
import { MetadataInput } from '../../metadata.ts';
import { operation } from '../../operation.ts';
import { plainFields, UNLISTED_FIELDS } from '../plain-fields.ts';
import { CreatedItem, itemFields } from '../work-item.ts';

/** Shortcuts for creation: the type is fixed, board and column are the project's default board and its `Backlog`. */
const fields = {
  title: itemFields.title,
  description: itemFields.description.optional(),
  ...plainFields.created,
  labels: itemFields.labels.optional(),
  dependsOn: itemFields.dependsOn.optional(),
  ideaId: itemFields.ideaId.optional(),
  externalId: itemFields.externalId.optional(),
  metadata: MetadataInput.optional(),
};

const NEW = ['labels', ...UNLISTED_FIELDS] as const;

/** Said once, of `create_task`: the catalogue has no room to say it four times. */
const LIKE_A_TASK = {
  description: 'With all arguments of create_task.',
  unlisted: ['priority', 'dependsOn', 'ideaId', 'externalId', 'metadata', ...NEW],
} as const;

const common = {
  permissions: ['work-items:write'],
  effect: 'create',
  output: CreatedItem,
  errors: ['NOT_FOUND'],
} as const;

export const createTask = operation({
  ...common,
  name: 'workItems.createTask',
  summary: "Create a task in the Backlog of the session project's board.",
  input: z.strictObject({ ...fields, parentId: ItemRef.optional().describe('Any work item') }),
  example: {
    input: { title: 'Name all colours', parentId: 'W-S-9' },
    output: exampleCreated({ ...exampleDependency, parentId: ids.story }),
  },
  mcp: { tool: 'create_task', title: 'Create task', unlisted: NEW },
});

export const createStory = operation({
  ...common,
  name: 'workItems.createStory',
  summary: 'Create a story in the Backlog.',
  input: z.strictObject({ ...fields, parentId: ItemRef.optional().describe('A feature') }),
  example: { input: { title: 'Dark mode' }, output: exampleCreated({ ...exampleStory, parentId: null }) },
  mcp: { tool: 'create_story', title: 'Create story', ...LIKE_A_TASK },
});

export const createFeature = operation({
  ...common,
  name: 'workItems.createFeature',
  summary: 'Create a feature in the Backlog.',
  input: z.strictObject({ ...fields, parentId: ItemRef.optional().describe('An epic') }),
  example: {
    input: { title: 'Themes', parentId: 'W-E-2' },
    output: exampleCreated({ id: ids.story, taskId: 'W-F-4', title: 'Themes', type: 'feature', parentId: ids.epic }),
  },
  mcp: { tool: 'create_feature', title: 'Create feature', ...LIKE_A_TASK },
});

export const createEpic = operation({
  ...common,
  name: 'workItems.createEpic',
  summary: 'Create an epic in the Backlog.',
  input: z.strictObject({ ...fields }),
  example: { input: { title: 'Accessible shop' }, output: exampleCreated({ ...exampleEpic, parentId: null }) },
  mcp: { tool: 'create_epic', title: 'Create epic', ...LIKE_A_TASK },
});
