import { type Command, Option } from 'commander';
import { IDENTITY_SOURCES } from '../../core/certificate.ts';
import { asMoment, examples } from '../terminal/options.ts';
import type { ExplainFlags } from './work/certificate.ts';

export function certificateCommands(program: Command): void {
  const group = program.command('certificate').description('check how the service judges a client certificate');
  group
    .command('explain')
    .argument('<file>', 'PEM or DER: the certificate, and any others that the caller sends with it')
    .description('a dry run: show step by step how the service judges a client certificate; changes nothing')
    .option('--chain <files...>', 'further certificates that the caller would send')
    .option('--issuers <files...>', 'judge by these issuers alone, instead of those of the store')
    .option('--crl <files...>', 'revocation lists; with --issuers they are required')
    .option('--at <time>', 'judge as of this moment, such as 2027-01-31T12:00:00Z (default: now)', asMoment)
    .addOption(new Option('--profile <profile>', 'with --issuers: how strict').choices(['rfc5280', 'strict']))
    .addOption(
      new Option('--source <sources...>', 'with --issuers: where the certificate says who is calling').choices(
        IDENTITY_SOURCES,
      ),
    )
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      examples(
        'tessera certificate explain caller.pem',
        'tessera certificate explain caller.pem --issuers ca.pem --crl ca.crl --profile strict',
      ),
    )
    .action(async (file: string, flags: ExplainFlags, command: Command) =>
      (await import('./work/certificate.ts')).explain(file, flags, command),
    );
}
