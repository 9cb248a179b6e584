import { type DispatcherDocument, DispatcherModel } from './dispatchers.model.ts';

export async function insertDispatcher(_id: string): Promise<void> {
  await DispatcherModel.create([{ _id, beat: 0 }]);
}

/** @returns whether the others still consider this one alive */
export async function beat(_id: string): Promise<boolean> {
  const { matchedCount } = await DispatcherModel.updateOne({ _id }, { $inc: { beat: 1 } });
  return matchedCount === 1;
}

/** One for each replica of the service. */
export async function dispatchers(): Promise<DispatcherDocument[]> {
  return DispatcherModel.find({}).lean();
}

export async function removeDispatcher(_id: string): Promise<void> {
  await DispatcherModel.deleteOne({ _id });
}
