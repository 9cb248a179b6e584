import { CODE_MINUTES } from '@worktrack/contracts/keys/sessions';
import type { TransactionalScope } from '@worktrack/runtime/database/scope';
import { uuidv7 } from '@worktrack/runtime/process/uuid';
import { type CodeDocument, CodeModel } from './codes.model.ts';

const LIFE_MS = CODE_MINUTES * 60_000;

export async function insertCode(
  { caller: { organizationId }, tx }: TransactionalScope,
  code: Pick<CodeDocument, 'userId' | 'keyId' | 'prefix' | 'hash' | 'permissions'>,
): Promise<Pick<CodeDocument, 'expiresAt'>> {
  const document: CodeDocument = { ...code, _id: uuidv7(), organizationId, expiresAt: new Date(Date.now() + LIFE_MS) };
  await CodeModel.create([document], { session: tx });
  return document;
}

/** Without an organization: this lookup is what finds it. */
export async function codeByPrefix(
  { tx }: Pick<TransactionalScope, 'tx'>,
  prefix: string,
): Promise<CodeDocument | undefined> {
  const code = await CodeModel.findOne({ prefix }, null, { session: tx }).lean();
  return code && code.expiresAt.getTime() > Date.now() ? code : undefined;
}

/** To the key that replaced theirs. */
export async function moveCodes({ caller, tx }: TransactionalScope, from: string, to: string): Promise<void> {
  const { organizationId } = caller;
  await CodeModel.updateMany({ organizationId, keyId: from }, { $set: { keyId: to } }, { session: tx });
}

/** If two transactions take the same one, the database lets one pass; the other runs again, and does not find it. */
export async function deleteCode({ tx }: Pick<TransactionalScope, 'tx'>, { _id }: CodeDocument): Promise<void> {
  await CodeModel.deleteOne({ _id }, { session: tx });
}
