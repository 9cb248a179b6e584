import type { AuditHead } from '@worktrack/contracts/audit/entry';
import { isDuplicateKey } from '@worktrack/runtime/database/duplicate-key';
import { inOrder } from '@worktrack/runtime/database/in-order';
import { emit } from '@worktrack/runtime/database/outbox/outbox.repository';
import { commitAlone } from '@worktrack/runtime/database/writes/commit-alone';
import mongoose from 'mongoose';
import { type SignedHead, SignedHeadModel, type Unsigned, UnsignedModel } from './heads.model.ts';

/** Some of the organizations with entries since their last head. */
export async function unsigned(limit: number): Promise<Unsigned[]> {
  return UnsignedModel.find({ _id: mongoose.trusted({ $gt: '' }) })
    .sort({ _id: 1 })
    .limit(limit)
    .lean();
}

export async function markSigned({ _id, mark }: Unsigned): Promise<void> {
  await UnsignedModel.deleteOne({ _id, mark });
}

/** With the event that tells of it. Another replica may have signed the same place: that one counts. */
export async function insertHead(head: AuditHead): Promise<void> {
  const { organizationId, seq, at } = head;
  const record: SignedHead = { ...head, _id: `${organizationId} ${seq}`, at: new Date(at) };
  try {
    await commitAlone(async ({ writes }) => {
      writes.insert(SignedHeadModel, record);
      emit(
        { caller: { organizationId, userId: '', keyId: '' }, writes },
        {
          type: 'audit.head',
          subject: { kind: 'audit', id: organizationId },
          revision: seq,
          data: { ...head },
          actor: null,
        },
      );
    });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

export interface PlaceOfHead {
  readonly value: Date;
  readonly id: string;
}

/** Newest first. */
export async function newestHeads(
  organizationId: string,
  { after, limit }: { readonly after?: PlaceOfHead | undefined; readonly limit: number },
): Promise<SignedHead[]> {
  return inOrder<SignedHead>(SignedHeadModel, {
    filter: { organizationId },
    order: { field: 'at', direction: -1 },
    after,
    limit,
    present: [],
  });
}

export function headOf({ _id: _, at, ...head }: SignedHead): AuditHead {
  return { ...head, at: at.toISOString() };
}
