import { createSecretKey } from 'node:crypto';
import { hmacSigner } from '@worktrack/rpc/message/signature';
import { worktrackSide } from './worktrack.ts';

/** Both ends are separate processes, on a broker used only by this run. */
const KEY = createSecretKey(Buffer.alloc(32, 'bench'));

export const { serve, connectTo } = worktrackSide(hmacSigner([KEY]));
