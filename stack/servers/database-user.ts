import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MongoClient, MongoServerError } from 'mongodb';
import { writePrivate } from '../files/private-file.ts';
import { StartError } from '../report/start-error.ts';
import { USER } from './credentials.ts';

const USER_EXISTS = 51_003;
/** What every server has by default. */
const OWN_DATABASES = ['admin', 'config', 'local'];

const noteOf = (dataDir: string) => join(dataDir, 'introduced');

/** @returns whether the database in this folder accepts the user with this password */
export function isIntroduced(dataDir: string, password: string): boolean {
  try {
    return readFileSync(noteOf(dataDir), 'utf8') === hash('sha256', password);
  } catch {
    return false;
  }
}

export function noteIntroduced(dataDir: string, password: string): void {
  writePrivate(noteOf(dataDir), hash('sha256', password));
}

/** Creates the user, or sets this password. */
export async function setPassword(client: MongoClient, password: string): Promise<void> {
  const admin = client.db('admin');
  const settings = { pwd: password, roles: ['root'] };
  try {
    await admin.command({ createUser: USER, ...settings });
  } catch (error) {
    if (!(error instanceof MongoServerError && error.code === USER_EXISTS)) throw error;
    await admin.command({ updateUser: USER, ...settings });
  }
}

/**
 * While the server required no password, other users of this machine could have used it too. Once it does, this looks for any traces.
 * @param isNew it was empty before
 */
export async function requireNobodyElse(client: MongoClient, isNew: boolean): Promise<void> {
  const admin = client.db('admin');
  const { users } = await admin.command({ usersInfo: { forAllDBs: true } });
  const strangers = (users as { user: string }[]).map(({ user }) => user).filter((user) => user !== USER);
  const { databases } = await admin.command({ listDatabases: 1, nameOnly: true });
  const strange = isNew
    ? (databases as { name: string }[]).map(({ name }) => name).filter((name) => !OWN_DATABASES.includes(name))
    : [];
  if (strangers.length + strange.length === 0) return;
  throw new StartError(
    `While the database was given its password, somebody else used it (users: ${strangers}; databases: ${strange}). Find out who, and start on a new data directory.`,
  );
}
