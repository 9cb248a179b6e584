import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPip } from '@worktrack/stack/servers/pip';
import { Webhook } from 'standardwebhooks';
import { afterAll, expect, test } from 'vitest';
import { newSecret, signatureHeaders } from '../../services/events/webhooks/sending/signature.ts';
import { pythonPackages } from '../support/python-packages.ts';

const PYTHON_VERIFIER = 'standardwebhooks==1.1.0';
const TIMEOUT_MS = 120_000;

const event = {
  id: '0199a1c4-5a10-7e3b-8f00-000000000040',
  seq: 4_712,
  type: 'work_item.moved',
  data: { to: 'Prüfung ✓' },
};
const body = JSON.stringify(event);
const [before, after, other] = [newSecret(), newSecret(), newSecret()];
const signedAt = (atMs: number, secrets: readonly string[]) => signatureHeaders({ id: event.id, atMs, body }, secrets);

const folder = mkdtempSync(join(tmpdir(), 'worktrack-signature-'));
afterAll(() => rmSync(folder, { recursive: true }));

test("the specification's verifier for JavaScript takes what is signed, after a rotation by either secret", () => {
  const headers = signedAt(Date.now(), [after, before]);
  for (const secret of [before, after]) expect(new Webhook(secret).verify(body, headers)).toEqual(event);
});

test('and refuses what is signed with another secret, changed, renamed or old', () => {
  const headers = signedAt(Date.now(), [after, before]);
  const verifier = new Webhook(after);
  expect(() => new Webhook(other).verify(body, headers)).toThrow();
  expect(() => verifier.verify(`${body} `, headers)).toThrow();
  expect(() => verifier.verify(body, { ...headers, 'webhook-id': 'another' })).toThrow();
  expect(() => verifier.verify(body, signedAt(Date.now() - 600_000, [after]))).toThrow();
});

const SCRIPT = `
import json, sys
from standardwebhooks import Webhook, WebhookVerificationError
given = json.load(open("given.json"))
for secret in given["secrets"]:
    assert Webhook(secret).verify(given["body"], given["headers"])["seq"] == 4712
for secret, body in [(given["other"], given["body"]), (given["secrets"][0], given["body"] + " ")]:
    try:
        Webhook(secret).verify(body, given["headers"])
    except WebhookVerificationError:
        continue
    sys.exit("verified what it should not")
print("verified")
`;

test("the specification's verifier for Python takes and refuses the same", { timeout: TIMEOUT_MS }, async (context) => {
  const python = await findPip();
  if (!python) return context.skip('There is no Python with pip.');
  const fetched = await pythonPackages(python, [PYTHON_VERIFIER]).catch((error: Error) => error);
  if (fetched instanceof Error) return context.skip(fetched.message);
  const given = { body, headers: signedAt(Date.now(), [after, before]), secrets: [before, after], other };
  writeFileSync(join(folder, 'given.json'), JSON.stringify(given));
  writeFileSync(join(folder, 'verify.py'), SCRIPT);
  const verified = await fetched.run(['verify.py'], folder);
  expect(verified).toMatchObject({ ok: true, lastLine: 'verified' });
});
