import { pagination } from '@worktrack/contracts/fields';
import type { User } from '@worktrack/contracts/keys/records';
import type { listUsers } from '@worktrack/contracts/keys/users';
import type { Input, Output } from '@worktrack/contracts/operation';
import type { ReadContext } from '@worktrack/runtime/database/implement';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import mongoose, { type ClientSession } from 'mongoose';
import { type UserDocument, UserModel } from './users.model.ts';

const DUPLICATE_KEY = 11_000;

export type UserChange = Partial<Pick<UserDocument, 'name' | 'role' | 'disabled'>>;

/** @returns undefined when the organization has a user with this address already */
export async function insertUser(
  organizationId: string,
  user: Pick<UserDocument, 'email' | 'name' | 'role'>,
  tx: ClientSession,
): Promise<User | undefined> {
  const now = new Date();
  const document: UserDocument = {
    ...user,
    _id: uuidv7(),
    organizationId,
    disabled: false,
    createdAt: now,
    updatedAt: now,
  };
  try {
    await UserModel.create([document], { session: tx });
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoServerError && error.code === DUPLICATE_KEY) return undefined;
    throw error;
  }
  return recordOf(document);
}

export async function userById(organizationId: string, id: string, tx: ClientSession): Promise<User | undefined> {
  const document = await UserModel.findOne({ organizationId, _id: id }).session(tx).lean();
  return document ? recordOf(document) : undefined;
}

/** Of a user whom the transaction has read. @returns the user as changed */
export async function changeUser(
  organizationId: string,
  user: User,
  change: UserChange,
  tx: ClientSession,
): Promise<User> {
  const updatedAt = new Date();
  await UserModel.updateOne({ organizationId, _id: user.id }, { $set: { ...change, updatedAt } }, { session: tx });
  return { ...user, ...change, updatedAt: updatedAt.toISOString() };
}

export async function countActiveOwners(organizationId: string, tx: ClientSession): Promise<number> {
  return UserModel.countDocuments({ organizationId, role: 'owner', disabled: false }).session(tx);
}

export async function pageOfUsers(
  { page, limit }: Input<typeof listUsers>,
  { caller }: ReadContext,
): Promise<Output<typeof listUsers>> {
  const { organizationId } = caller;
  const [documents, total] = await Promise.all([
    UserModel.find({ organizationId })
      .sort({ _id: -1 })
      .skip((page - 1) * limit)
      .limit(limit)
      .lean(),
    UserModel.countDocuments({ organizationId }),
  ]);
  return { users: documents.map(recordOf), pagination: pagination(page, limit, total) };
}

/** Users of several organizations, for the look-ups of keys that arrived together. Each id stems from a key of its user's organization. */
export async function usersById(ids: readonly string[]): Promise<Map<string, User>> {
  const found = await UserModel.find({ _id: mongoose.trusted({ $in: ids }) }).lean();
  return new Map(found.map((document) => [document._id, recordOf(document)]));
}

function recordOf(document: UserDocument): User {
  return {
    id: document._id,
    email: document.email,
    name: document.name,
    role: document.role,
    disabled: document.disabled,
    createdAt: document.createdAt.toISOString(),
    updatedAt: document.updatedAt.toISOString(),
  };
}
