import { secretKey } from '@worktrack/runtime/process/key-ring';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { issueTicket, TICKET_LIFETIME_MS, verifyTicket } from './upload-ticket.ts';

const ring = new Map([['one', secretKey('a secret of the tests')]]);
const grant = { workItemId: '018f2d5e-7c3a-7000-8000-000000000000', keyPrefix: 'wt_abcdefgh', fileName: 'shot.png' };
const NOW = 1_795_000_000_000;

test('a ticket grants what it was issued for, until it expires', () => {
  const { ticket, expiresAt } = issueTicket(grant, ring, NOW);
  expect(expiresAt).toBe(NOW + TICKET_LIFETIME_MS);
  expect(verifyTicket(ticket, ring, NOW)).toMatchObject({ grant });
  expect(verifyTicket(ticket, ring, expiresAt - 1)).toMatchObject({ grant });
  expect(verifyTicket(ticket, ring, expiresAt)).toBe('expired');
});

test('no two tickets stand for the same effect', () => {
  const nonces = [1, 2].map(() => {
    const verified = verifyTicket(issueTicket(grant, ring, NOW).ticket, ring, NOW);
    return typeof verified === 'object' && verified.nonce;
  });
  expect(nonces[0]).not.toBe(nonces[1]);
});

describe('a ticket is invalid', () => {
  test('after any change of one character', () => {
    const { ticket } = issueTicket(grant, ring, NOW);
    fc.assert(
      fc.property(fc.nat(ticket.length - 1), fc.constantFrom(...'ABCxyz019-_.=+/ '), (at, character) => {
        const changed = ticket.slice(0, at) + character + ticket.slice(at + 1);
        fc.pre(changed !== ticket);
        expect(verifyTicket(changed, ring, NOW)).toBe('invalid');
      }),
    );
  });
  test('with another secret, or another key id', () => {
    const { ticket } = issueTicket(grant, ring, NOW);
    expect(verifyTicket(ticket, new Map([['one', secretKey('another secret')]]), NOW)).toBe('invalid');
    expect(verifyTicket(ticket, new Map([['two', secretKey('a secret of the tests')]]), NOW)).toBe('invalid');
  });
  test('when its signature has the same number of characters, but more bytes', () => {
    const { ticket } = issueTicket(grant, ring, NOW);
    expect(verifyTicket(`${ticket.slice(0, -1)}ü`, ring, NOW)).toBe('invalid');
  });

  test.each(['', '.', '..', 'a.b', `${Buffer.from('null').toString('base64url')}.x`])('when it is %j', (ticket) => {
    expect(verifyTicket(ticket, ring, NOW)).toBe('invalid');
  });
});
