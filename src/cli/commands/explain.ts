// Dry runs: how the service judges what a caller sends, and why it refused a request.
import { IDENTITY_SOURCES } from '../../core/certificate.ts';
import { OPTIONAL_CURVES } from '../../core/issuer.ts';
import { declares } from '../terminal/manual.ts';
import { asMoment } from '../terminal/options.ts';
import { administers } from './administration.ts';

const TEXT = `
certificate                   check how the service judges a client certificate
certificate explain <file>    a dry run: show step by step how the service judges a client certificate; changes nothing
  <file>                      PEM or DER: the certificate, and any others that the caller sends with it
  --chain <files...>          further certificates that the caller would send
  --issuers <files...>        judge by these issuers alone, instead of those of the store
  --crl <files...>            revocation lists; with --issuers they are required
  --at <time>                 judge as of this moment, such as 2027-01-31T12:00:00Z (default: now)
  --profile <profile>         with --issuers: how strict [rfc5280|strict]
  --source <sources...>       with --issuers: where the certificate says who is calling [${IDENTITY_SOURCES.join('|')}]
  --trust-domain <domain>     with --issuers: a trust domain of SPIFFE IDs; may be repeated
  --policy <oid>              with --issuers: a required certificate policy; may be repeated
  --curve <curves...>         with --issuers: further elliptic curves [${OPTIONAL_CURVES.join('|')}]
  --ml-dsa                    with --issuers: allow keys and signatures of ML-DSA
  --through-proxy             as passed on by a proxy, without the limits of a handshake with this service
  --json                      as JSON
  $ tessera certificate explain caller.pem
  $ tessera certificate explain caller.pem --issuers ca.pem --crl ca.crl --profile strict
explain                       why was it refused? Step by step; changes nothing
explain request <id>          what is known of a request: its events, its refusal, and, from the log, which check
      refused it [default]
  <id>                        from the header Request-Id of the answer, or from a log line
  --log <file>                the log (default: standard input, if it is not a terminal)
  $ tessera explain request 691c8a3e07f10003 --log tessera.log
  $ tessera explain 691c8a3e07f10003
  $ journalctl -u 'tessera@*' -o cat | tessera explain request 691c8a3e07f10003
explain token [file]          a dry run: what the service would say to this token now. Never give a token as an argument
  [file]                      contains an access token, a refresh token or a device code (default: standard input)
  $ tessera explain token < token.txt
explain scope <client_id> <scope>  which parts of a scope an integration has
  <client_id>                 the integration
  <scope>                     what a caller asks for
  $ tessera explain scope orders-sync 'orders:read,delete'
explain certificate <file>    the same as \`tessera certificate explain\`, which has more options
  <file>                      PEM or DER
  $ tessera explain certificate caller.pem
explain assertion <file>      the same as \`tessera token-issuer explain\`, which has more options
  <file>                      a JWT in compact form; - for standard input
  $ tessera explain assertion - < assertion.jwt
explain refusal <name>        what to do about a refusal, from docs/errors.md
  <name>                      such as refresh-token-reused
  $ tessera explain refusal refresh-token-reused
`;

const work = () => import('./work/explain.ts');
const certificate = async () => (await import('./work/certificate.ts')).explain;

export const commands = declares(
  TEXT,
  {
    'certificate explain': certificate,
    'explain request': async () => (await work()).explainRequest,
    'explain token': administers(async () => (await work()).explainTokenFile),
    'explain scope': administers(async () => (await work()).explainScope),
    'explain certificate': certificate,
    'explain assertion': administers(async () => (await import('./work/explain-assertion.ts')).explain),
    'explain refusal': async () => (await work()).explainRefusal,
  },
  { '--at': asMoment },
);
