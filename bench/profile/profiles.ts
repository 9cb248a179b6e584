import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What is written by `node --cpu-prof`, as far as it is read here. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const REPOSITORY = join(import.meta.dirname, '../..');
const NOT_WORKING = '(idle)';
/** Folders of ours are told apart to this depth, such as `libs/runtime/database`. */
const FOLDER_DEPTH = 3;

/** The profiles in a folder: of each process what it spent, in ms, the most first. */
export function profilesIn(folder: string) {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => {
      const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Profile;
      const postOf = new Map(nodes.map(({ id, callFrame }) => [id, post(callFrame)]));
      const spent = new Map<string, number>();
      for (const [i, id] of samples.entries()) {
        const name = postOf.get(id) ?? '';
        if (name !== NOT_WORKING) spent.set(name, (spent.get(name) ?? 0) + (timeDeltas[i] ?? 0) / 1_000);
      }
      return {
        // CPU.<date>.<time>.<pid>.<thread>.<number>.cpuprofile
        pid: Number(name.split('.')[3]),
        posts: [...spent].toSorted(([, a], [, b]) => b - a),
        totalMs: [...spent.values()].reduce((sum, ms) => sum + ms, 0),
      };
    })
    .toSorted((a, b) => b.totalMs - a.totalMs);
}

function post({ functionName, url }: Profile['nodes'][number]['callFrame']): string {
  if (url === '') return functionName.startsWith('(') ? functionName : `V8: ${functionName}`;
  if (url.startsWith('node:')) return url.split('/').slice(0, 2).join('/');
  const path = url.startsWith('file:') ? fileURLToPath(url) : url;
  const packages = path.split('node_modules/').at(-1)?.split('/') ?? [];
  if (path.includes('node_modules/')) return packages.slice(0, packages[0]?.startsWith('@') ? 2 : 1).join('/');
  const ours = path.replace(`${REPOSITORY}/`, '').split('/');
  return ours.slice(0, Math.min(FOLDER_DEPTH, ours.length - 1)).join('/');
}
