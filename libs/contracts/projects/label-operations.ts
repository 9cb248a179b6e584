import { z } from 'zod';
import { ids } from '../examples.ts';
import { Id, RecordId } from '../fields.ts';
import { operation } from '../operation.ts';
import { Label, labelFields } from './label.ts';

const { name, colour } = labelFields;
const example: Label = { id: ids.label, name: 'Accessibility', colour: '#1f6feb' };

export const listLabels = operation({
  name: 'labels.list',
  summary: 'List the labels of a project, by name.',
  permissions: ['projects:read'],
  effect: 'read',
  input: z.strictObject({ id: Id }),
  output: z.array(Label),
  errors: ['NOT_FOUND'],
  example: { input: { id: ids.project }, output: [example] },
  rest: 'GET /api/projects/:id/labels',
});

export const createLabel = operation({
  name: 'labels.create',
  summary: 'Add a label to a project. Its name is unique there, in any case.',
  permissions: ['work-items:write'],
  effect: 'create',
  input: z.strictObject({ id: Id, name, colour }),
  output: Label,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { input: { id: ids.project, name: 'Accessibility', colour: '#1f6feb' }, output: example },
  rest: 'POST /api/projects/:id/labels',
});

export const updateLabel = operation({
  name: 'labels.update',
  summary: 'Rename a label or change its colour, on all items that have it.',
  permissions: ['work-items:write'],
  effect: 'update',
  input: z.strictObject({ id: Id, labelId: Id, name: name.optional(), colour: colour.optional() }),
  output: Label,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { input: { id: ids.project, labelId: ids.label, name: 'A11y' }, output: { ...example, name: 'A11y' } },
  rest: 'PATCH /api/projects/:id/labels/:labelId',
});

export const deleteLabel = operation({
  name: 'labels.delete',
  summary: 'Delete a label of a project: no item has it any more.',
  permissions: ['work-items:write'],
  effect: 'delete',
  input: z.strictObject({ id: Id, labelId: Id }),
  output: z.object({ deleted: z.literal(true), id: RecordId }),
  errors: ['NOT_FOUND'],
  example: { input: { id: ids.project, labelId: ids.label }, output: { deleted: true, id: ids.label } },
  rest: 'DELETE /api/projects/:id/labels/:labelId',
});
