import { z } from 'zod';
import { exampleProject, ids, pagination } from '../examples.ts';
import { BoundedPagination, deepPaging, Id, MAX_PAGE_SIZE, NextCursor, ReadVersion, RecordId } from '../fields.ts';
import { operation } from '../operation.ts';
import { DependencyMet, Gates, Project, projectFields, WrittenProject } from './project.ts';
import { Templates } from './template.ts';

const { name, key, description, techStack, repositories } = projectFields;

export const listProjects = operation({
  name: 'projects.list',
  summary: 'List the projects, newest first.',
  permissions: ['projects:read'],
  effect: 'read',
  input: z.strictObject({ ...deepPaging }),
  output: z.object({
    projects: z.array(Project),
    pagination: BoundedPagination,
    nextCursor: NextCursor,
    /** The page is shorter than its limit because the projects are long: continue with `nextCursor`, not `page`. */
    truncated: z.literal(true).optional(),
  }),
  errors: [],
  example: {
    input: { limit: 20 },
    output: { projects: [exampleProject], pagination: { ...pagination, limit: 20 }, nextCursor: null },
  },
  rest: 'GET /api/projects',
});

/** For agents: what they need to name a project and its board, no more. */
export const listProjectNames = operation({
  name: 'projects.names',
  summary: 'List the projects, with the ids that other tools take as projectId and boardId.',
  permissions: ['projects:read'],
  effect: 'read',
  input: z.strictObject({ limit: deepPaging.limit.default(MAX_PAGE_SIZE), cursor: deepPaging.cursor }),
  output: z.object({
    projects: z.array(Project.pick({ id: true, name: true, key: true, defaultBoardId: true })),
    nextCursor: NextCursor,
  }),
  errors: [],
  example: {
    input: {},
    output: {
      projects: [{ id: ids.project, name: 'Web shop', key: 'W', defaultBoardId: ids.board }],
      nextCursor: null,
    },
  },
  mcp: { tool: 'list_projects', title: 'List projects', omit: ['limit'] },
});

export const createProject = operation({
  name: 'projects.create',
  summary: 'Create a project with a default board that has the eight standard columns.',
  permissions: ['projects:write'],
  ofOrganization: true,
  audit: 'project',
  effect: 'create',
  input: z.strictObject({
    name,
    key: key
      .describe('The prefix of its task IDs. Default: a letter that no other project has, from the name if possible.')
      .optional(),
    description: description.default(''),
    techStack: techStack.default([]),
    repositories: repositories.default([]),
    gates: Gates.default('warn'),
    dependencyMet: DependencyMet.default('review'),
  }),
  output: WrittenProject,
  errors: [],
  example: {
    input: {
      name: 'Web shop',
      description: 'The shop at shop.example.com.',
      techStack: ['TypeScript', 'PostgreSQL'],
      repositories: ['https://git.example.com/web-shop'],
    },
    output: exampleProject,
  },
  rest: 'POST /api/projects',
});

export const getProject = operation({
  name: 'projects.get',
  summary: 'Get a project.',
  permissions: ['projects:read'],
  effect: 'read',
  input: z.strictObject({ id: Id }),
  output: Project,
  errors: ['NOT_FOUND'],
  example: { input: { id: ids.project }, output: exampleProject },
  rest: 'GET /api/projects/:id',
});

export const updateProject = operation({
  name: 'projects.update',
  summary: 'Change the given fields of a project. A new key applies to new items: task IDs never change.',
  permissions: ['projects:write'],
  audit: 'project',
  effect: 'update',
  input: z.strictObject({
    id: Id,
    name: name.optional(),
    key: key.optional(),
    description: description.optional(),
    techStack: techStack.optional(),
    repositories: repositories.optional(),
    gates: Gates.optional(),
    dependencyMet: DependencyMet.optional(),
    defaultBoardId: Id.optional(),
    templates: Templates.optional().describe('Templates for new work items; replaces the list'),
    version: ReadVersion.optional(),
  }),
  output: WrittenProject,
  errors: ['NOT_FOUND', 'PERMISSION_DENIED', 'CONFLICT'],
  example: {
    input: {
      id: ids.project,
      name: 'Shop',
      templates: [{ name: 'Bug', type: 'task', description: '## What happens\n\n## What should happen' }],
    },
    output: { ...exampleProject, name: 'Shop' },
  },
  rest: 'PATCH /api/projects/:id',
});

export const deleteProject = operation({
  name: 'projects.delete',
  summary: 'Delete a project that has no work items, with its boards. The numbers of its task IDs are never reused.',
  permissions: ['projects:write'],
  audit: 'project',
  effect: 'delete',
  input: z.strictObject({ id: Id }),
  output: z.object({ deleted: z.literal(true), id: RecordId }),
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { input: { id: ids.project }, output: { deleted: true, id: ids.project } },
  rest: 'DELETE /api/projects/:id',
});
