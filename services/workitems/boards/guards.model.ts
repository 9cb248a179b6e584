import mongoose from 'mongoose';

/** See guards.repository.ts. */
export interface GuardRecord {
  /** `<board>:<slot>` */
  _id: string;
  organizationId: string;
  boardId: string;
  /** Counted up by whoever holds the slot: what matters is that it is written. */
  uses: number;
}

const guardSchema = new mongoose.Schema<GuardRecord>(
  {
    _id: { type: String, required: true },
    organizationId: { type: String, required: true },
    boardId: { type: String, required: true },
    uses: { type: Number, required: true },
  },
  { collection: 'board_guards', versionKey: false },
);
guardSchema.index({ organizationId: 1, _id: 1 });
guardSchema.index({ organizationId: 1, boardId: 1 });

export const GuardModel = mongoose.model('BoardGuard', guardSchema);
