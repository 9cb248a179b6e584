import mongoose from 'mongoose';

export interface QuotaDocument {
  /** The organization. */
  _id: string;
  perDay: number;
}

const quotaSchema = new mongoose.Schema<QuotaDocument>(
  { _id: { type: String, required: true }, perDay: { type: Number, required: true } },
  { collection: 'quotas', versionKey: false },
);

export const QuotaModel = mongoose.model('Quota', quotaSchema);
