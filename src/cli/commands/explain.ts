import type { Command } from 'commander';
import { examples } from '../terminal/options.ts';

const work = () => import('./work/explain.ts');

export function explainCommands(program: Command): void {
  const group = program.command('explain').description('why was it refused? Step by step; changes nothing');
  declareRequest(group);
  declareToken(group);
  declareScope(group);
  declareCertificate(group);
  declareAssertion(group);
  declareRefusal(group);
}

function declareRequest(group: Command): void {
  group
    .command('request')
    .argument('<id>', 'from the header Request-Id of the answer, or from a log line')
    .description('find a request in the log, and show which check refused it and what to do')
    .option('--log <file>', 'the log (default: standard input)')
    .addHelpText(
      'after',
      examples(
        'tessera explain request 0192f3… --log tessera.log',
        'journalctl -u tessera -o cat | tessera explain request 0192f3…',
      ),
    )
    .action(async (id: string, flags: { log?: string }) => (await work()).explainRequest(id, flags));
}

function declareToken(group: Command): void {
  group
    .command('token')
    .argument('[file]', 'contains an access token, a refresh token or a device code (default: standard input)')
    .description('a dry run: what the service would say to this token now. Never give a token as an argument')
    .addHelpText('after', examples('tessera explain token < token.txt'))
    .action(async (file: string | undefined, _: unknown, command: Command) =>
      (await work()).explainTokenFile(file, command),
    );
}

function declareScope(group: Command): void {
  group
    .command('scope')
    .argument('<client_id>', 'the integration')
    .argument('<scope>', 'what a caller asks for')
    .description('which parts of a scope an integration has')
    .addHelpText('after', examples("tessera explain scope orders-sync 'orders:read,delete'"))
    .action(async (clientId: string, scope: string, _: unknown, command: Command) =>
      (await work()).explainScope(clientId, scope, command),
    );
}

function declareCertificate(group: Command): void {
  group
    .command('certificate')
    .argument('<file>', 'PEM or DER')
    .description('the same as `tessera certificate explain`, which has more options')
    .addHelpText('after', examples('tessera explain certificate caller.pem'))
    .action(async (file: string, _: unknown, command: Command) =>
      (await import('./work/certificate.ts')).explain(file, {}, command),
    );
}

function declareAssertion(group: Command): void {
  group
    .command('assertion')
    .argument('<file>', 'a JWT in compact form; - for standard input')
    .description('the same as `tessera token-issuer explain`, which has more options')
    .addHelpText('after', examples('tessera explain assertion - < assertion.jwt'))
    .action(async (file: string, _: unknown, command: Command) =>
      (await import('./work/explain-assertion.ts')).explain(file, {}, command),
    );
}

function declareRefusal(group: Command): void {
  group
    .command('refusal')
    .argument('<name>', 'such as refresh-token-reused')
    .description('what a refusal means and what to do, from docs/errors.md')
    .addHelpText('after', examples('tessera explain refusal refresh-token-reused'))
    .action(async (name: string) => (await work()).explainRefusal(name));
}
