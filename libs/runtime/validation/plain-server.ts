import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';

/** What zod says is wrong with a field, as the SDK passes it on: a list in JSON, at the end of the message. */
interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Says which parameters of a method do not fit: the SDK prints zod's list, and of all methods but tools/call it says that the server is at fault (-32603). */
export class PlainServer extends Server {
  protected override _wrapHandler(...[method, handler]: Parameters<Server['_wrapHandler']>) {
    const wrapped = super._wrapHandler(method, handler);
    return async (...args: Parameters<typeof wrapped>) =>
      await wrapped(...args).catch((error: Error) => {
        const issues = issuesIn(error.message);
        if (issues === undefined) throw error;
        const faults = issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `${method} has parameters that do not fit. ${faults}.`,
        );
      });
  }
}

function issuesIn(message: string): readonly Issue[] | undefined {
  const [list] = /\[\n {2}\{\n.*\n\]$/s.exec(message) ?? [];
  return list === undefined ? undefined : JSON.parse(list);
}
