import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { type CallToolResult, createMcpHandler, Server } from '@modelcontextprotocol/server';

/** The SDK's low-level server as its documentation shows it, with a ready-made result: no key, no hop, no database. */
const structuredContent = JSON.parse(process.env.BENCH_PAYLOAD ?? '{}') as CallToolResult['structuredContent'];

const handler = toNodeHandler(
  createMcpHandler(() => {
    const server = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/call', async () => ({
      content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      structuredContent,
    }));
    return server;
  }),
);
const server = createServer((request, response) => void handler(request, response));
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
