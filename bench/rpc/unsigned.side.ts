import { SIGNATURE_BYTES } from '@worktrack/rpc/message/signature';
import { worktrackSide } from './worktrack.ts';

const NOTHING = new Uint8Array(SIGNATURE_BYTES);

/** The difference to this side is the cost of signing. There is no setting for it: no service runs like this. */
export const { serve, connectTo } = worktrackSide({ sign: () => NOTHING, verify: () => true });
