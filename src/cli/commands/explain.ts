// Dry runs: how the service judges what a caller sends, and why it refused a request.
import { IDENTITY_SOURCES } from '../../core/certificate.ts';
import { OPTIONAL_CURVES } from '../../core/issuer.ts';
import { command, group } from '../terminal/command.ts';
import {
  AS_JSON,
  argument,
  flag,
  moment,
  oneOf,
  optionalArgument,
  someOf,
  text,
  texts,
  words,
} from '../terminal/options.ts';
import { administers } from './administration.ts';

const AT = { at: moment('judge as of this moment, such as 2027-01-31T12:00:00Z (default: now)') };

const work = () => import('./work/explain.ts');

const explainCertificate = command({
  about: 'a dry run: show step by step how the service judges a client certificate; changes nothing',
  arguments: { file: argument('PEM or DER: the certificate, and any others that the caller sends with it') },
  options: {
    chain: words('<files...>', 'further certificates that the caller would send'),
    issuers: words('<files...>', 'judge by these issuers alone, instead of those of the store'),
    crl: words('<files...>', 'revocation lists; with --issuers they are required'),
    ...AT,
    profile: oneOf('<profile>', ['rfc5280', 'strict'], 'with --issuers: how strict'),
    source: someOf('<sources...>', IDENTITY_SOURCES, 'with --issuers: where the certificate says who is calling'),
    trustDomain: texts('<domain>', 'with --issuers: a trust domain of SPIFFE IDs'),
    policy: texts('<oid>', 'with --issuers: a required certificate policy'),
    curve: someOf('<curves...>', OPTIONAL_CURVES, 'with --issuers: further elliptic curves'),
    mlDsa: flag('with --issuers: allow keys and signatures of ML-DSA'),
    ...AS_JSON,
  },
  examples: [
    'tessera certificate explain caller.pem',
    'tessera certificate explain caller.pem --issuers ca.pem --crl ca.crl --profile strict',
  ],
  run: async ({ file, ...flags }, to) => (await import('./work/certificate.ts')).explain(file, flags, to),
});

export const explainAssertion = administers({
  about: 'a dry run: show step by step why the service accepts an assertion or not; changes nothing',
  arguments: { file: argument('the assertion: a JWT in compact form; - for standard input') },
  options: { ...AT, ...AS_JSON },
  examples: ['tessera token-issuer explain assertion.jwt', 'tessera token-issuer explain - < assertion.jwt'],
  run: async (given, place) => (await import('./work/explain-assertion.ts')).explain(given, place),
});

export const commands = {
  certificate: group('check how the service judges a client certificate', {
    explain: explainCertificate,
  }),
  explain: group('why was it refused? Step by step; changes nothing', {
    request: command({
      about: 'what is known of a request: its events, its refusal, and, from the log, which check refused it',
      isDefault: true,
      arguments: { id: argument('from the header Request-Id of the answer, or from a log line') },
      options: { log: text('<file>', 'the log (default: standard input, if it is not a terminal)') },
      examples: [
        'tessera explain request 691c8a3e07f10003 --log tessera.log',
        'tessera explain 691c8a3e07f10003',
        "journalctl -u 'tessera@*' -o cat | tessera explain request 691c8a3e07f10003",
      ],
      run: async (given, to) => (await work()).explainRequest(given, to),
    }),
    token: administers({
      about: 'a dry run: what the service would say to this token now. Never give a token as an argument',
      arguments: {
        file: optionalArgument('contains an access token, a refresh token or a device code (default: standard input)'),
      },
      examples: ['tessera explain token < token.txt'],
      run: async (given, place) => (await work()).explainTokenFile(given, place),
    }),
    scope: administers({
      about: 'which parts of a scope an integration has',
      arguments: { clientId: argument('the integration'), scope: argument('what a caller asks for') },
      examples: ["tessera explain scope orders-sync 'orders:read,delete'"],
      run: async (given, place) => (await work()).explainScope(given, place),
    }),
    certificate: explainCertificate,
    assertion: explainAssertion,
    refusal: command({
      about: 'what to do about a refusal, from docs/errors.md',
      arguments: { name: argument('such as refresh-token-reused') },
      examples: ['tessera explain refusal refresh-token-reused'],
      run: async ({ name }) => (await work()).explainRefusal(name),
    }),
  }),
};
