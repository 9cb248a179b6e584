import { z } from 'zod';
import { oneLine, RecordId } from '../fields.ts';

/** Per project: its boards have a copy of all of them. */
export const MAX_LABELS = 100;
export const MAX_LABELS_OF_ITEM = 20;
const MAX_NAME_LENGTH = 50;

export const Label = z.object({
  id: RecordId,
  name: z.string(),
  /** `#rrggbb`. */
  colour: z.string(),
});
export type Label = z.infer<typeof Label>;

/** What a caller may set. */
export const labelFields = {
  name: oneLine(MAX_NAME_LENGTH).refine(
    (name) => !/^none$/i.test(name),
    'must not be none: with it filters find items without a label',
  ),
  colour: z.string().regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #1f6feb'),
};

/** A label of the item's project by its UUID or its name, in any case. */
export const LabelRef = z.string().trim().min(1).max(MAX_NAME_LENGTH);
export const LabelRefs = z.array(LabelRef).max(MAX_LABELS_OF_ITEM);
