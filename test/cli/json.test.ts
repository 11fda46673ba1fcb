import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { buildProgram } from '../../src/cli/program.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { Commands } from './commands.ts';

test('with --json, standard output of an act is its result as JSON and nothing else', async (t) => {
  const folder = temporaryFolder('json');
  const commands = new Commands({ isApart: true });
  t.after(async () => {
    await commands.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const run = async (...args: string[]) => {
    const { status, printed, stderr } = await commands.run([...args, '--json'], { folder });
    assert.equal(status, 0, args.join(' '));
    assert.doesNotMatch(stderr, /tsc_|Password/, 'a secret is printed once');
    return JSON.parse(printed) as Record<string, unknown>;
  };
  assert.deepEqual(Object.keys(await run('init', '--identity', 'ada')), ['configuration', 'dataFolder', 'identity']);
  assert.equal((await run('integration', 'add', 'till', '--scope', 'sales:read'))['clientId'], 'till');
  assert.equal((await run('identity', 'disable', 'ada'))['enabled'], false);
  assert.deepEqual(await run('keyring', 'add'), { key: 2, state: 'check-only' });
  assert.deepEqual(await run('grant', 'revoke', '--integration', 'till'), { endedGrants: 0, endedCodes: 0 });
  assert.equal((await run('backup', 'copy.db'))['copy'], join(folder, 'copy.db'));
  assert.equal((await run('restore', 'copy.db'))['liveGrants'], 0);
  const api = await run('resource-server', 'add', 'api', '--audience', 'https://api.example', '--resource', 'sales');
  assert.equal(api['audience'], 'https://api.example');
  assert.match(String((await run('resource-server', 'secret', 'api'))['secret']), /^tsc_/);
  assert.equal((await run('resource-server', 'change', 'api', '--enabled', 'no'))['enabled'], false);
  assert.deepEqual(await run('resource-server', 'remove', 'api', '--yes'), { id: 'api' });
  const issuer = ['--issuer', 'https://ci.example', '--when', '/sub=a'];
  assert.equal((await run('token-issuer', 'add', 'ci', ...issuer))['label'], 'ci');
  assert.equal((await run('token-issuer', 'change', 'ci', '--assertions', 'reusable'))['assertions'], 'reusable');
  assert.deepEqual(await run('token-issuer', 'remove', 'ci'), { label: 'ci' });
  const signing = await run('keyring', 'add', '--signing', 'ES256');
  assert.equal(signing['state'], 'signing');
  assert.deepEqual(await run('keyring', 'rotate'), []);
  assert.deepEqual(await run('store', 'history'), { epoch: 1, worksAgain: [] });
});

const CODES = { refused: 1, usage: 2, configuration: 3, store: 4, keyring: 5, login: 8 } as const;

/** A command line, the `code` of its failure, and what the message says. */
const FAILURES: readonly (readonly [line: string, code: keyof typeof CODES, message: RegExp, reason?: string])[] = [
  ['integration list --set dataFolder=elsewhere', 'store', /there is no store at/],
  ['nothing', 'usage', /^unknown command 'nothing'$/],
  ['help integration ad', 'usage', /^unknown command 'ad'$/],
  ['integration list --al', 'usage', /^unknown option '--al'$/],
  ['integration show', 'usage', /^missing required argument 'client_id'$/],
  ['integration list x', 'usage', /^too many arguments/],
  ['integration add till', 'usage', /^required option '--scope <scope>' not specified$/],
  [
    'grant list --ending soon',
    'usage',
    /^option '--ending <duration>' argument 'soon' is invalid\. Expected a duration/,
  ],
  ['serve', 'usage', /^unknown option '--json'$/],
  ['integration list --set tokens.grantLifetme=1d', 'configuration', /^the configuration cannot be used$/],
  ['doctor --config none.yaml', 'configuration', /./],
  ['integration list --set store=postgres://u@127.0.0.1:1/none?sslmode=disable', 'store', /./],
  ['integration show till', 'refused', /^there is no integration till$/, 'integration-unknown'],
  ['integration add till --scope x:', 'refused', /^"x:" is not a valid scope$/, 'scope-malformed'],
  ['events --csv', 'usage', /^--json and --csv cannot be combined$/],
  ['keyring list --set keyring=none.json', 'keyring', /^the keyring is missing/],
  ['restore none.db', 'refused', /none\.db/],
  ['issuer add corp none.pem --identity-from upn-san', 'refused', /none\.pem/],
  ['token --profile none', 'login', /^you are not logged in$/],
  ['login', 'usage', /^--server is missing$/],
];

suite('with --json, a failure is one JSON object on standard error, and standard output is empty', () => {
  const folder = temporaryFolder('json failures');
  const commands = new Commands({ isApart: true, environment: { HOME: folder } });
  before(async () => assert.equal((await commands.run(['init'], { folder })).status, 0));
  after(async () => {
    await commands.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function failureOf(args: readonly string[]) {
    const { status, printed, stderr } = await commands.run([...args, '--json'], { folder });
    assert.equal(printed, '', args.join(' '));
    assert.match(stderr, /^\{.*\}\n$/, args.join(' '));
    const { error, ...rest } = JSON.parse(stderr);
    assert.deepEqual(rest, {});
    assert.equal(status, CODES[error.code as keyof typeof CODES], stderr);
    return error as Readonly<Record<string, string>>;
  }

  for (const [line, code, message, reason] of FAILURES)
    test(`${code}: ${line}`, async () => {
      const error = await failureOf(line.split(' '));
      assert.equal(error['code'], code);
      assert.match(error['message'] ?? '', message);
      assert.equal(error['reason'], reason);
    });

  test('the remedy and the mistakes of a configuration have fields of their own; --debug adds the stack', async () => {
    assert.equal((await failureOf(['grnt']))['remedy'], 'Did you mean grant? See: tessera --help');
    assert.equal((await failureOf(['keyring', 'mint']))['remedy'], 'See: tessera keyring mint --help');
    const { details } = await failureOf(['config', 'check', '--set', 'a=1', '--set', 'b=2']);
    assert.equal(details?.length, 2);
    const { stack = '' } = await failureOf(['integration', 'show', 'till', '--debug']);
    assert.match(stack, /^CommandFailure: there is no integration till\n +at /);
  });

  test('every command', async () => {
    const lines = linesIn(await buildProgram(), []);
    assert.ok(lines.length > 60);
    for (const line of lines)
      assert.equal((await failureOf([...line, '--no-such-option']))['code'], 'usage', line.join());
  });

  test('a program that exec runs may have its own --json', async () => {
    const { status, stderr } = await commands.run(['exec', '--profile', 'none', '--', 'x', '--json'], { folder });
    assert.equal(status, 8);
    assert.match(stderr, /^tessera: you are not logged in\n/);
  });
});

function linesIn(command: Awaited<ReturnType<typeof buildProgram>>, path: readonly string[]): string[][] {
  return command.commands.flatMap((inner) => [[...path, inner.name()], ...linesIn(inner, [...path, inner.name()])]);
}
