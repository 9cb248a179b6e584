import { createHash } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sendMessage } from '../support/app.ts';
import type { TestOrganization } from '../support/organization.ts';
import { type System, sharedSystem } from '../support/system.ts';
import { MODES } from './connect.ts';

const EXTENSION = 'io.modelcontextprotocol/skills';
const SKILLS = ['claim-work-finish', 'review-work', 'triage-feedback'];

let system: System;
let organization: TestOrganization;
beforeAll(async () => {
  system = await sharedSystem();
  organization = await system.newOrganization();
});

describe.each(Object.entries(MODES))('a client that knows skills, %s,', (_, mode) => {
  test('finds three, each as it is described', async () => {
    const capabilities = { extensions: { [EXTENSION]: {} } };
    const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities, versionNegotiation: { mode } });
    const requestInit = { headers: { authorization: `Bearer ${organization.apiKey}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${system.baseUrl}/mcp`), { requestInit }));
    expect(client.getServerCapabilities()).toMatchObject(capabilities);
    const Entry = z.object({
      uri: z.string(),
      frontmatter: z.object({ name: z.string(), description: z.string().min(20) }),
      resources: z.array(z.object({ uri: z.string(), digest: z.string(), size: z.number() })),
    });
    const { skills } = await client.request({ method: 'skills/list' }, z.object({ skills: z.array(Entry) }));
    expect(skills.map(({ frontmatter }) => frontmatter.name)).toEqual(SKILLS);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(skills.map(({ uri }) => uri));
    for (const { uri, frontmatter, resources: files } of skills) {
      expect(uri).toBe(`skill://${frontmatter.name}/SKILL.md`);
      const [file] = (await client.readResource({ uri })).contents as { readonly text: string }[];
      const text = file?.text ?? '';
      const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
      expect(files).toEqual([{ uri, digest, size: Buffer.byteLength(text) }]);
      const one = await client.request({ method: 'skills/get', params: { uri } }, z.object({ skill: Entry }));
      expect(one.skill.uri).toBe(uri);
    }
    await expect(client.readResource({ uri: 'skill://nothing/SKILL.md' })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });
});

test('a client that does not is told nothing of them, but may read them', async () => {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const { body } = await sendMessage(system.baseUrl, organization.apiKey, { method: 'initialize', params }, '/mcp');
  expect(body.result.capabilities).toEqual({ tools: {} });
  const { body: list } = await sendMessage(system.baseUrl, organization.apiKey, { method: 'resources/list' }, '/mcp');
  expect(list.result.resources.map(({ name }: { readonly name: string }) => name)).toEqual(SKILLS);
});
