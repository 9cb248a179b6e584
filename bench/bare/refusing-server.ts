import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The least that a refusal costs: the whole body is received, and answered with 400 whatever it says. */
const BODY = '{"error":"invalid_grant"}';

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(400, { 'content-type': 'application/json', 'content-length': BODY.length }).end(BODY);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
