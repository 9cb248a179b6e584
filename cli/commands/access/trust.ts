import {
  createTrustRule,
  deleteTrustRule,
  listTries,
  listTrustRules,
  TRUST_PRESETS,
  type TrustPreset,
  type TrustRule,
  updateTrustRule,
} from '@worktrack/contracts/keys/trust-rules';
import { PERMISSIONS, type Permission } from '@worktrack/contracts/permissions';
import { Command, InvalidArgumentError, Option } from 'commander';
import { Failure, requireChange } from '../../failure.ts';
import { durationOf, jsonOf } from '../../flags.ts';
import { wholeNumber, withJson } from '../../options.ts';
import { type OutputOptions, print, printJson, printList, printRecord } from '../../output.ts';
import { api } from '../../service/api.ts';
import { nameOf, textFrom } from '../../text-input.ts';

type Claims = Readonly<Record<string, readonly string[]>>;

const REUSE = 'for how many tokens one JWT is exchanged, where a job gets only one';
const JWKS = "a file with the issuer's keys, where they cannot be fetched: kubectl get --raw /openid/v1/jwks";

export function trustCommand(): Command {
  const trust = new Command('trust').description('rules by which jobs of CI get tokens without a stored secret');
  trust
    .command('create')
    .description('make a rule')
    .requiredOption('--name <name>', 'what it is for')
    .addOption(new Option('--preset <preset>', 'who issues the tokens').choices(TRUST_PRESETS).default('generic'))
    .option('--issuer <issuer>', 'as in iss; default: the public one of the preset')
    .requiredOption('--claim <name=value>', 'what a token must say; the same name again: or this', withClaim)
    .addOption(
      new Option('--permission <permission...>', 'what tokens may do; default: whatever your own key may').choices(
        PERMISSIONS,
      ),
    )
    .option('--project <id...>', 'their only projects; default: those of your own key')
    .option(
      '--ttl <time>',
      'how long a token lasts, from 1m to 1h: 5m; default: 15m',
      durationOf(createTrustRule, 'ttlSeconds'),
    )
    .option('--reuse <n>', `${REUSE}; default: 1`, wholeNumber)
    .option('--jwks <file>', JWKS)
    .option('--user <id>', 'the user that tokens act as; default: yourself')
    .action(create);
  trust
    .command('update <id>')
    .description('change a rule, and with it what its tokens may do')
    .option('--name <name>', 'what it is for')
    .option(
      '--claim <name=value>',
      'what a token must say, instead of all before; the same name again: or this',
      withClaim,
    )
    .addOption(new Option('--permission <permission...>', 'what tokens may do').choices(PERMISSIONS))
    .option('--project <id...>', 'their only projects')
    .option('--ttl <time>', 'how long a token lasts, from 1m to 1h: 5m', durationOf(updateTrustRule, 'ttlSeconds'))
    .option('--reuse <n>', REUSE, wholeNumber)
    .option('--jwks <file>', JWKS)
    .action(update);
  trust.command('list').description('list the rules').action(list);
  trust.command('tries <id>').description('show why the last tokens that name a rule were refused').action(tries);
  for (const [name, disabled, description] of [
    ['disable', true, 'stop a rule, and end its tokens at once'],
    ['enable', false, 'let a rule give tokens again'],
  ] as const) {
    trust
      .command(`${name} <id>`)
      .description(description)
      .action(async (id: string, { json }: OutputOptions) => {
        const rule = await api().call(updateTrustRule, { id, disabled });
        if (json) return printJson(rule);
        print(disabled ? 'Stopped. None of its tokens is accepted.' : 'The rule gives tokens again.');
      });
  }
  trust.command('delete <id>').description('delete a rule, and end its tokens at once').action(remove);
  return withJson(trust);
}

/** `ref=refs/heads/main`. */
function withClaim(given: string, before: Claims = {}): Claims {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(given) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be name=value.');
  return { ...before, [name]: [...(before[name] ?? []), value] };
}

interface UpdateOptions extends OutputOptions {
  readonly name?: string;
  readonly claim?: Claims;
  readonly permission?: Permission[];
  readonly project?: string[];
  readonly ttl?: number;
  readonly reuse?: number;
  readonly jwks?: string;
}

interface CreateOptions extends UpdateOptions {
  readonly name: string;
  readonly preset: TrustPreset;
  readonly issuer?: string;
  readonly claim: Claims;
  readonly user?: string;
}

async function create({ preset, issuer, claim, name, user, json, ...given }: CreateOptions): Promise<void> {
  const input = { ...(await fieldsOf(given)), name, preset, issuer, claims: claimsOf(claim), userId: user };
  shown(await api().call(createTrustRule, input), json);
}

async function update(id: string, { name, claim, json, ...given }: UpdateOptions): Promise<void> {
  const changes = { ...(await fieldsOf(given)), name, claims: claim && claimsOf(claim) };
  requireChange(changes, 'trust update');
  shown(await api().call(updateTrustRule, { id, ...changes }), json);
}

const fieldsOf = async ({ permission, project, ttl, reuse, jwks }: UpdateOptions) => ({
  permissions: permission,
  projects: project,
  ttlSeconds: ttl,
  reuse,
  jwks: jwks === undefined ? undefined : await keySetIn(jwks),
});

async function keySetIn(file: string) {
  const keySet = jsonOf(await textFrom(file));
  if (keySet === undefined) throw new Failure('usage', `${nameOf(file)} is not JSON.`);
  return keySet as { readonly keys: Record<string, unknown>[] };
}

const claimsOf = (claims: Claims) =>
  Object.fromEntries(
    Object.entries(claims).map(([of, values]) => [of, values.length === 1 ? `${values[0]}` : [...values]]),
  );

function shown(rule: TrustRule, json: boolean | undefined): void {
  if (json) printJson(rule);
  else {
    printRecord({
      ...{ ID: rule.id, Name: rule.name, Issuer: rule.issuer, Audience: rule.audience },
      ...{ Permissions: rule.permissions.join(' '), 'Tokens last': `${rule.ttlSeconds} s` },
    });
  }
}

async function list({ json }: OutputOptions): Promise<void> {
  const rules = await api().call(listTrustRules, {});
  if (json) return printJson(rules);
  printList(
    rules,
    {
      ID: 'id',
      NAME: ({ name, disabled }) => (disabled ? `${name} (disabled)` : name),
      ISSUER: 'issuer',
      'LAST USED': ({ lastUsedAt }) => lastUsedAt ?? 'never',
    },
    'There are no rules of trust.',
  );
}

async function tries(id: string, { json }: OutputOptions): Promise<void> {
  const refused = await api().call(listTries, { id });
  if (json) return printJson(refused);
  printList(
    refused,
    { AT: 'at', CLAIM: 'claim', EXPECTED: 'expected', GOT: 'got' },
    'None was refused in the last 7 days.',
  );
}

async function remove(id: string, { json }: OutputOptions): Promise<void> {
  const deleted = await api().call(deleteTrustRule, { id });
  if (json) return printJson(deleted);
  print('Deleted. None of its tokens is accepted.');
}
