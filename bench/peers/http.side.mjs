import fastify from 'fastify';
import { Pool } from 'undici';

/** As many as calls are usually in flight at once; more of them were slower. */
const CONNECTIONS = 64;

export async function serve({ respond }) {
  const server = fastify();
  server.post('/items/get', async (request) => respond(request.body));
  await server.listen({ port: 0, host: '127.0.0.1' });
  return { address: server.server.address().port };
}

export async function connectTo({ address }) {
  const pool = new Pool(`http://127.0.0.1:${address}`, { connections: CONNECTIONS });
  const headers = { 'content-type': 'application/json' };
  return {
    async call(input) {
      const { body } = await pool.request({
        path: '/items/get',
        method: 'POST',
        headers,
        body: JSON.stringify(input),
      });
      return await body.json();
    },
  };
}
