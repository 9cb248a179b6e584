import mongoose from 'mongoose';

/** See tallies.repository.ts. */
export interface TallyRecord {
  /** `<board>:<slot>` */
  _id: string;
  organizationId: string;
  projectId: string;
  boardId: string;
  /** The board's, as this slot knows it: a write that relies on an older one matches nothing. */
  columnsVersion: number;
  /** By column id: how many items entered through this slot, minus those that left through it. May be negative; the sum of all slots is not. */
  counts: Record<string, number>;
  uses?: number;
}

const tallySchema = new mongoose.Schema<TallyRecord>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    projectId: { type: String, required: true },
    boardId: { type: String, required: true },
    columnsVersion: { type: Number, required: true },
    counts: { type: mongoose.Schema.Types.Mixed, required: true },
    uses: { type: Number },
  },
  { collection: 'board_tallies', versionKey: false, minimize: false },
);
tallySchema.index({ organizationId: 1, boardId: 1 });
tallySchema.index({ organizationId: 1, projectId: 1 });

export const TallyModel = mongoose.model('BoardTally', tallySchema);
