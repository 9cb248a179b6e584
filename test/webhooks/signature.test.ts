import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '@worktrack/stack/processes/find-program';
import { runToEnd } from '@worktrack/stack/processes/run-to-end';
import { cacheRoot, findPip } from '@worktrack/stack/servers/pip';
import { Webhook } from 'standardwebhooks';
import { afterAll, expect, test } from 'vitest';
import { newSecret, signatureHeaders } from '../../services/events/webhooks/sending/signature.ts';
import { pythonPackages } from '../support/python-packages.ts';

const PYTHON_VERIFIER = 'standardwebhooks==1.1.0';
const GO_VERIFIER = 'github.com/standard-webhooks/standard-webhooks/libraries@v0.0.1';
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

test('the specification’s verifier for JavaScript accepts what is signed, after a rotation with either secret', () => {
  const headers = signedAt(Date.now(), [after, before]);
  for (const secret of [before, after]) expect(new Webhook(secret).verify(body, headers)).toEqual(event);
});

test('and rejects what is signed with another secret, changed, renamed or old', () => {
  const headers = signedAt(Date.now(), [after, before]);
  const verifier = new Webhook(after);
  expect(() => new Webhook(other).verify(body, headers)).toThrow();
  expect(() => verifier.verify(`${body} `, headers)).toThrow();
  expect(() => verifier.verify(body, { ...headers, 'webhook-id': 'another' })).toThrow();
  expect(() => verifier.verify(body, signedAt(Date.now() - 600_000, [after]))).toThrow();
});

/** For a verifier in another language. */
function writeGiven(): void {
  const given = { body, headers: signedAt(Date.now(), [after, before]), secrets: [before, after], other };
  writeFileSync(join(folder, 'given.json'), JSON.stringify(given));
}

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

test('the specification’s verifier for Python takes and refuses the same', { timeout: TIMEOUT_MS }, async (context) => {
  const python = await findPip();
  if (!python) return context.skip('There is no Python with pip.');
  const fetched = await pythonPackages(python, [PYTHON_VERIFIER]).catch((error: Error) => error);
  if (fetched instanceof Error) return context.skip(fetched.message);
  writeGiven();
  writeFileSync(join(folder, 'verify.py'), SCRIPT);
  const verified = await fetched.run(['verify.py'], folder);
  expect(verified).toMatchObject({ ok: true, lastLine: 'verified' });
});

const PROGRAM = `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	var given struct {
		Body, Other string
		Headers     map[string]string
		Secrets     []string
	}
	file, err := os.ReadFile("given.json")
	must(err)
	must(json.Unmarshal(file, &given))
	headers := http.Header{}
	for name, value := range given.Headers {
		headers.Set(name, value)
	}
	verify := func(secret, body string) error {
		webhook, err := standardwebhooks.NewWebhook(secret)
		must(err)
		return webhook.Verify([]byte(body), headers)
	}
	for _, secret := range given.Secrets {
		must(verify(secret, given.Body))
	}
	if verify(given.Other, given.Body) == nil || verify(given.Secrets[0], given.Body+" ") == nil {
		panic("verified what it should not")
	}
	fmt.Println("verified")
}
`;

test('the specification’s verifier for Go takes and refuses the same', { timeout: TIMEOUT_MS }, async (context) => {
  const go = findProgram('go');
  if (!go) return context.skip('There is no Go.');
  const env = { ...process.env, GOPATH: join(cacheRoot(), 'standard-webhooks-go'), GOFLAGS: '-modcacherw' };
  const run = (...args: string[]) => runToEnd(go, args, env, folder);
  writeFileSync(join(folder, 'go.mod'), 'module verify\n\ngo 1.24\n');
  const fetched = await run('get', GO_VERIFIER);
  if (!fetched.ok) return context.skip(`The verifier could not be fetched: ${fetched.lastLine}`);
  writeGiven();
  writeFileSync(join(folder, 'main.go'), PROGRAM);
  expect(await run('run', '.')).toMatchObject({ ok: true, lastLine: 'verified' });
});
