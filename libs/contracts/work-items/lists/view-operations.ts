import { z } from 'zod';
import { ids, times } from '../../examples.ts';
import { Id, MAX_PAGE_SIZE, NextCursor, ProjectId, paging, RecordId } from '../../fields.ts';
import { operation } from '../../operation.ts';
import { NewViewFilters, View, viewFields } from './view.ts';

const { name } = viewFields;
const example: View = {
  id: ids.view,
  name: 'Urgent and mine',
  projectId: ids.project,
  shared: false,
  filters: { priority: ['urgent', 'high'], assignee: 'me', sort: 'dueDate' },
  createdBy: ids.user,
  createdAt: times.createdAt,
  updatedAt: times.updatedAt,
};

export const listViews = operation({
  name: 'views.list',
  summary: 'List the saved views that you see, your own and shared ones, newest first.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({
    projectId: ProjectId.optional(),
    limit: paging.limit.default(MAX_PAGE_SIZE),
    cursor: z.string().max(300).optional(),
  }),
  output: z.object({ views: z.array(View), nextCursor: NextCursor }),
  errors: ['NOT_FOUND'],
  example: { input: { projectId: ids.project }, output: { views: [example], nextCursor: null } },
  rest: 'GET /api/views',
});

export const createView = operation({
  name: 'views.create',
  summary: 'Save a view of a project’s work items. Sharing it requires work-items:write.',
  permissions: ['work-items:read'],
  own: 'user',
  effect: 'create',
  input: z.strictObject({
    name,
    projectId: ProjectId.optional(),
    shared: z.boolean().default(false),
    filters: NewViewFilters.default({}),
  }),
  output: View,
  errors: ['NOT_FOUND', 'CONFLICT', 'PERMISSION_DENIED'],
  example: {
    input: { name: example.name, projectId: ids.project, filters: example.filters },
    output: example,
  },
  rest: 'POST /api/views',
});

export const updateView = operation({
  name: 'views.update',
  summary:
    'Change the given fields of a view. A shared view requires work-items:write, a view of another user projects:write.',
  permissions: ['work-items:read'],
  own: 'user',
  effect: 'update',
  input: z.strictObject({
    id: Id,
    name: name.optional(),
    projectId: ProjectId.optional().describe('Where the view goes'),
    shared: z.boolean().optional().describe('For all who see the project; false: for you alone'),
    filters: NewViewFilters.optional().describe('Replaces all'),
  }),
  output: View,
  errors: ['NOT_FOUND', 'CONFLICT', 'PERMISSION_DENIED'],
  example: { input: { id: ids.view, shared: true }, output: { ...example, shared: true } },
  rest: 'PATCH /api/views/:id',
});

export const deleteView = operation({
  name: 'views.delete',
  summary: 'Delete a view. A shared view requires work-items:write, a view of another user projects:write.',
  permissions: ['work-items:read'],
  own: 'user',
  effect: 'delete',
  input: z.strictObject({ id: Id }),
  output: z.object({ deleted: z.literal(true), id: RecordId }),
  errors: ['NOT_FOUND', 'PERMISSION_DENIED'],
  example: { input: { id: ids.view }, output: { deleted: true, id: ids.view } },
  rest: 'DELETE /api/views/:id',
});
