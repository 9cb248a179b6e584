import mongoose from 'mongoose';

export interface CounterRecord {
  organizationId: string;
  name: string;
  /** The last number given out. */
  value: number;
}

const counterSchema = new mongoose.Schema<CounterRecord>(
  {
    organizationId: { type: String, required: true },
    name: { type: String, required: true },
    value: { type: Number, required: true },
  },
  { collection: 'counters', versionKey: false },
);
counterSchema.index({ organizationId: 1, name: 1 }, { unique: true });

export const CounterModel = mongoose.model('Counter', counterSchema);
