import type { CliCommand } from '../terminal/cli-command.ts';

import { administers } from './administration.ts';

const work = () => import('./work/explain.ts');

export function explainCommands(program: CliCommand): void {
  const group = program.command('explain').description('why was it refused? Step by step; changes nothing');
  declareRequest(group);
  declareToken(group);
  declareScope(group);
  declareCertificate(group);
  declareAssertion(group);
  declareRefusal(group);
}

function declareRequest(group: CliCommand): void {
  group
    .command('request', { isDefault: true })
    .argument('<id>', 'from the header Request-Id of the answer, or from a log line')
    .description('what is known of a request: its events, its refusal, and, from the log, which check refused it')
    .option('--log <file>', 'the log (default: standard input, if it is not a terminal)')
    .examples(
      'tessera explain request 691c8a3e07f10003 --log tessera.log',
      'tessera explain 691c8a3e07f10003',
      'journalctl -u tessera -o cat | tessera explain request 691c8a3e07f10003',
    )
    .runs(async () => (await work()).explainRequest);
}

function declareToken(group: CliCommand): void {
  group
    .command('token')
    .argument('[file]', 'contains an access token, a refresh token or a device code (default: standard input)')
    .description('a dry run: what the service would say to this token now. Never give a token as an argument')
    .examples('tessera explain token < token.txt')
    .runs(administers(async () => (await work()).explainTokenFile));
}

function declareScope(group: CliCommand): void {
  group
    .command('scope')
    .argument('<client_id>', 'the integration')
    .argument('<scope>', 'what a caller asks for')
    .description('which parts of a scope an integration has')
    .examples("tessera explain scope orders-sync 'orders:read,delete'")
    .runs(administers(async () => (await work()).explainScope));
}

function declareCertificate(group: CliCommand): void {
  group
    .command('certificate')
    .argument('<file>', 'PEM or DER')
    .description('the same as `tessera certificate explain`, which has more options')
    .examples('tessera explain certificate caller.pem')
    .runs(async () => (await import('./work/certificate.ts')).explain);
}

function declareAssertion(group: CliCommand): void {
  group
    .command('assertion')
    .argument('<file>', 'a JWT in compact form; - for standard input')
    .description('the same as `tessera token-issuer explain`, which has more options')
    .examples('tessera explain assertion - < assertion.jwt')
    .runs(async () => (await import('./work/explain-assertion.ts')).explain);
}

function declareRefusal(group: CliCommand): void {
  group
    .command('refusal')
    .argument('<name>', 'such as refresh-token-reused')
    .description('what a refusal means and what to do, from docs/errors.md')
    .examples('tessera explain refusal refresh-token-reused')
    .runs(async () => (await work()).explainRefusal);
}
