import { IDENTITY_SOURCES } from '../../core/certificate.ts';
import { OPTIONAL_CURVES } from '../../core/issuer.ts';
import type { CliCommand } from '../terminal/cli-command.ts';
import { asMoment, collect } from '../terminal/options.ts';

export function certificateCommands(program: CliCommand): void {
  const group = program.command('certificate').description('check how the service judges a client certificate');
  group
    .command('explain')
    .argument('<file>', 'PEM or DER: the certificate, and any others that the caller sends with it')
    .description('a dry run: show step by step how the service judges a client certificate; changes nothing')
    .option('--chain <files...>', 'further certificates that the caller would send')
    .option('--issuers <files...>', 'judge by these issuers alone, instead of those of the store')
    .option('--crl <files...>', 'revocation lists; with --issuers they are required')
    .option('--at <time>', 'judge as of this moment, such as 2027-01-31T12:00:00Z (default: now)', asMoment)
    .choice('--profile <profile>', 'with --issuers: how strict', ['rfc5280', 'strict'])
    .choice('--source <sources...>', 'with --issuers: where the certificate says who is calling', IDENTITY_SOURCES)
    .option('--trust-domain <domain>', 'with --issuers: a trust domain of SPIFFE IDs; may be repeated', collect)
    .option('--policy <oid>', 'with --issuers: a required certificate policy; may be repeated', collect)
    .choice('--curve <curves...>', 'with --issuers: further elliptic curves', OPTIONAL_CURVES)
    .option('--ml-dsa', 'with --issuers: allow keys and signatures of ML-DSA')
    .option('--through-proxy', 'as passed on by a proxy, without the limits of a handshake with this service')
    .option('--json', 'as JSON')
    .examples(
      'tessera certificate explain caller.pem',
      'tessera certificate explain caller.pem --issuers ca.pem --crl ca.crl --profile strict',
    )
    .runs(async () => (await import('./work/certificate.ts')).explain);
}
