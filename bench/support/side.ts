import { type ChildProcess, fork } from 'node:child_process';

/** The other side's server: it reports its port, and ends with its parent. */
export async function startSide(
  file: string,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = fork(file, { env });
  const port = await new Promise<unknown>((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}.`)));
  });
  return { url: `http://127.0.0.1:${port}`, child };
}
