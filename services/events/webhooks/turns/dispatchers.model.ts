import mongoose from 'mongoose';

/** A process that sends to webhooks. */
export interface DispatcherDocument {
  _id: string;
  /** Counts up while it is running. A count rather than a time, because the clocks of two machines need not agree. */
  beat: number;
}

const dispatcherSchema = new mongoose.Schema<DispatcherDocument>(
  { _id: { type: String, required: true }, beat: { type: Number, required: true } },
  { collection: 'dispatchers', versionKey: false },
);

export const DispatcherModel = mongoose.model('Dispatcher', dispatcherSchema);
