import { SIGNATURE_BYTES } from '@worktrack/rpc/message/signature';
import { worktrackSide } from './worktrack.ts';

const NOTHING = new Uint8Array(SIGNATURE_BYTES);

/** What signing costs is what this side does not pay. There is no setting for it: no service runs so. */
export const { serve, connectTo } = worktrackSide({ sign: () => NOTHING, verify: () => true });
