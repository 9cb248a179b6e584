import { z } from 'zod';
import { oneLine } from '../fields.ts';
import { ItemType, Priority, Title } from '../item-values.ts';
import { LabelRefs } from './label.ts';

export const MAX_TEMPLATES = 30;
const MAX_NAME_LENGTH = 100;
const MAX_DESCRIPTION_LENGTH = 5_000;

/** Initial content for a new work item, which its creator may change: an item does not remember its template. */
export const Template = z.object({
  name: z.string(),
  type: ItemType,
  title: z.string().optional(),
  description: z.string().optional(),
  priority: Priority.optional(),
  /** By name. One that was deleted since is left out. */
  labels: z.array(z.string()).optional(),
});
export type Template = z.infer<typeof Template>;

/** All of a project's: what is shown can be given back. */
export const Templates = z
  .array(
    z.strictObject({
      name: oneLine(MAX_NAME_LENGTH),
      type: ItemType,
      title: Title.optional(),
      description: z.string().max(MAX_DESCRIPTION_LENGTH).optional(),
      priority: Priority.optional(),
      labels: LabelRefs.optional(),
    }),
  )
  .max(MAX_TEMPLATES)
  .superRefine((templates, context) => {
    const seen = new Set<string>();
    templates.forEach(({ name }, index) => {
      const folded = name.toLowerCase();
      if (seen.has(folded)) {
        const message = `must be unique in the project, and "${name}" appears twice`;
        context.addIssue({ code: 'custom', path: [index, 'name'], message });
      }
      seen.add(folded);
    });
  });
