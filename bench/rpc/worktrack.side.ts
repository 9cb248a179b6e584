import { createSecretKey } from 'node:crypto';
import { hmacSigner } from '@worktrack/rpc/message/signature';
import { worktrackSide } from './worktrack.ts';

/** Both ends are processes of their own, on a broker of this run alone. */
const KEY = createSecretKey(Buffer.alloc(32, 'bench'));

export const { serve, connectTo } = worktrackSide(hmacSigner([KEY]));
