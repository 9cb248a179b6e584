import type { Caller } from '@worktrack/contracts/caller';
import { operation, serviceContract } from '@worktrack/contracts/operation';
import { createRpcClient } from '@worktrack/rpc/client';
import { connectBroker } from '@worktrack/rpc/connection';
import type { RequestSigner } from '@worktrack/rpc/message/signature';
import { serveRpc } from '@worktrack/rpc/server';
import { createLog } from '@worktrack/runtime/process/logging';
import { rpcObserver as observer } from '@worktrack/runtime/process/metrics';
import { z } from 'zod';
import type { Answer } from './exchange.ts';
import type { Side } from './side.ts';

const get = operation({
  name: 'bench.get',
  summary: 'Reads a work item.',
  permissions: ['work-items:read'],
  effect: 'read',
  input: z.strictObject({ workItemId: z.uuid() }),
  output: z.custom<Answer>(),
  errors: ['NOT_FOUND'],
});
const contract = serviceContract('bench', [get]);
const log = createLog('bench', 'warn');

const caller: Caller = {
  organizationId: '0190a1b2-c3d4-7e5f-8a6b-000000000004',
  userId: '0190a1b2-c3d4-7e5f-8a6b-000000000005',
  keyId: '0190a1b2-c3d4-7e5f-8a6b-000000000006',
  permissions: ['projects:read', 'work-items:read', 'work-items:write', 'feedback:read'],
};

/** libs/rpc as the services use it: validation, permission check, deadline, acknowledgement, metrics, and the caller in every call. */
export function worktrackSide(signer: RequestSigner): Side {
  return {
    async serve({ url, respond }) {
      const broker = await connectBroker({ url, name: 'bench server', log });
      const one = async (input: { workItemId: string }) => ({ output: respond(input), replayed: false });
      await serveRpc({ broker, contract, signer, log, observer, handlers: { 'bench.get': { one } } });
      return {};
    },
    async connectTo({ url }) {
      const broker = await connectBroker({ url, name: 'bench client', log });
      const service = createRpcClient({ broker, signers: { bench: signer }, log, observer }).of(contract);
      return { call: (question) => service.call('bench.get', question, { requestId: question.workItemId, caller }) };
    },
  };
}
