import { mixed, number, optional, text } from '@worktrack/runtime/database/documents/fields';
import { type Stored, schemaOf } from '@worktrack/runtime/database/documents/schema';
import mongoose from 'mongoose';

/** See tallies.repository.ts. */
const fields = {
  /** `<board>:<slot>` */
  _id: text(),
  organizationId: text(),
  projectId: text(),
  boardId: text(),
  /** The board's, as this slot knows it: a write that relies on an older one matches nothing. */
  columnsVersion: number(),
  /** By column id: how many items entered through this slot, minus those that left through it. May be negative; the sum of all slots is not. */
  counts: mixed<Record<string, number>>(),
  uses: optional(number()),
};

export type TallyRecord = Stored<typeof fields>;

const tallySchema = schemaOf(fields, { collection: 'board_tallies', minimize: false });
tallySchema.index({ organizationId: 1, boardId: 1 });
tallySchema.index({ organizationId: 1, projectId: 1 });

export const TallyModel = mongoose.model('BoardTally', tallySchema);
