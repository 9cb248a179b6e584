import { oneOf } from '@worktrack/runtime/database/one-of';
import mongoose from 'mongoose';
import type { Scope } from '../calls/scope.ts';
import { ItemModel, type ItemRecord } from '../items/items.model.ts';

/** Items of all organizations some of whose dependents have yet to follow. */
export function itemsCrossed(now: Date, limit: number): Promise<ItemRecord[]> {
  return ItemModel.find({ 'crossed.dueAt': mongoose.trusted({ $lte: now }) })
    .limit(limit)
    .lean<ItemRecord[]>();
}

type Brief = Pick<ItemRecord, '_id' | 'projectId' | 'dependsOn' | 'waitsFor' | 'onReturnedBase'>;

/** Items that name one of these as a dependency: as much of them as says what they wait for. */
export function dependentsInBrief({ caller }: Scope, references: readonly string[]): Promise<Brief[]> {
  const { organizationId } = caller;
  const fields = { projectId: 1, dependsOn: 1, waitsFor: 1, onReturnedBase: 1 };
  return ItemModel.find({ organizationId, dependsOn: oneOf(references) }, fields).lean<Brief[]>();
}
