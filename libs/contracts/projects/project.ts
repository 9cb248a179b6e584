import { z } from 'zod';
import { oneLine, RecordId, Timestamp } from '../fields.ts';
import { warnings } from '../warnings.ts';
import { MAX_TEMPLATES, Template } from './template.ts';

export const Gates = z.enum(['warn', 'enforce']);
export type Gates = z.infer<typeof Gates>;

/** From which step on a dependency no longer holds up what depends on it. */
export const DependencyMet = z.enum(['review', 'testing', 'done']);
export type DependencyMet = z.infer<typeof DependencyMet>;

export const Project = z.object({
  id: RecordId,
  name: z.string(),
  /** What its task IDs begin with. Projects of one organization may share it, and then share the numbers too. */
  key: z.string(),
  description: z.string(),
  techStack: z.array(z.string()),
  repositories: z.array(z.string()),
  defaultBoardId: RecordId,
  /** Whether a completion or a move that does not fit is warned about, or refused. */
  gates: Gates,
  dependencyMet: DependencyMet,
  templates: z.array(Template).max(MAX_TEMPLATES),
  /** Higher after each change. */
  version: z.int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Project = z.infer<typeof Project>;
export const WrittenProject = Project.extend(warnings);

const names = z.array(oneLine(500)).max(100);

/** What a caller may set; only `name` is required, at creation. */
export const projectFields = {
  name: oneLine(200),
  key: z
    .string()
    .regex(/^[A-Z]{1,5}$/, 'must be one to five letters A–Z')
    .describe('The prefix of its task IDs.'),
  description: z.string().max(20_000),
  techStack: names,
  repositories: names,
};
