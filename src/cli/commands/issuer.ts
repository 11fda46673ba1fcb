import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { oncePer } from '../../core/once-per.ts';
import { IssuerObject } from '../../operations/admin/issuer-objects.ts';
import { group } from '../terminal/command.ts';
import { argument, flag, oneOf, orNone, text, texts, yesNo } from '../terminal/options.ts';
import { byHand, fieldsOf } from './fields.ts';
import { registered } from './things.ts';

/** A change may be made again, but pipes are read once. */
const pemOf = oncePer(({ certificate }: { certificate?: string }) =>
  certificate === undefined ? undefined : readFileSync(certificate, 'latin1'),
);

const CRL_FILE = {
  crlFile: orNone('no list files', texts('<file>', 'a revocation list on this machine, read again when it changes')),
};

const FIELDS = fieldsOf(
  IssuerObject,
  {
    pem: {
      ...byHand(
        { certificate: text('<file>', 'PEM: a renewed certificate of the same key, intermediates behind it') },
        pemOf,
      ),
      on: 'change',
      shown: () => undefined, // its facts are
    },
    identitySources: { option: 'identityFrom', label: 'identity from' },
    identities: byHand(
      {
        derived: yesNo(
          'make identities from the names in certificates, instead of looking them up in the directory',
          '[yes|no]',
        ),
      },
      ({ derived }) => (derived === undefined ? undefined : derived ? 'derived' : 'directory'),
    ),
    directories: { option: 'directory', value: '<label>', none: 'only the local directory' },
    curves: { option: 'curve', none: 'no further curves' },
    trustDomains: { option: 'trustDomain', none: 'no trust domains' },
    policies: { option: 'policy', value: '<oid>', none: 'no policy is required', label: 'required policies' },
    mlDsa: { value: '[yes|no]', label: 'ML-DSA' },
    upnComparison: { option: 'upn', value: '<comparison>', label: 'principal names compare' },
    'revocation.crl': {
      ...byHand(
        {
          crl: oneOf(
            '<check>',
            ['required', 'if-available', 'off'],
            'revocation lists (default: required with --crl-file, else if-available)',
          ),
          ...CRL_FILE,
        },
        // A list that is named on purpose is required.
        ({ crl, crlFile }) => crl ?? (crlFile ? 'required' : undefined),
      ),
      label: 'revocation lists',
    },
    'revocation.ocsp': { value: '<check>', label: 'OCSP' },
    'revocation.crlFiles': {
      ...byHand(CRL_FILE, ({ crlFile }) => (crlFile === false ? [] : crlFile?.map((path) => resolve(path)))),
      label: 'list files',
    },
    'revocation.allowedAddresses': { option: 'allowAddress', none: 'none but public ones' },
    'revocation.endGrants': {
      ...byHand(
        { keepGrants: yesNo('grants outlive the revocation of their certificate', '[yes|no]') },
        ({ keepGrants }) => (keepGrants === undefined ? undefined : !keepGrants),
      ),
      label: 'revocation ends grants',
    },
    integrations: {
      option: 'onlyIntegration',
      value: '<client_id>',
      none: 'for every integration',
      label: 'only integrations',
    },
    enabled: { label: 'approved', shown: (isApproved) => (isApproved ? 'yes' : 'removed') },
    subject: { label: 'authority' },
  },
  [
    'label',
    'enabled',
    'expires',
    'profile',
    'revocation.crl',
    'revocation.ocsp',
    'identitySources',
    'identities',
    'subject',
  ],
  { identitySources: ['common-name'], revocation: { ocsp: 'off' } },
);

const issuer = registered('issuer', {
  id: argument('names the issuer, and identities derived from its certificates', '<label>'),
  fields: FIELDS,
  added: (label, { subject }) => `Approved ${label}: ${subject}`,
  /** Without the certificates themselves, whose facts are shown. */
  asJson: (approved) => {
    const { pem: _, ...issuer } = approved;
    return issuer;
  },
  removed: (label) => [`The issuer ${label} is no longer approved`, { label, enabled: false }],
});

export const commands = {
  issuer: group('authorities whose certificates may authorize', {
    add: issuer.add({
      about: 'approve an issuer',
      arguments: { certificate: argument("PEM: the authority's certificate, intermediates behind it", '<file>') },
      examples: [
        'tessera issuer add corp corp-ca.pem --identity-from upn-san email-san',
        'tessera issuer add fleet fleet-ca.pem --derived --only-integration orders-sync',
        'tessera issuer add mesh mesh-ca.pem --identity-from spiffe-id --trust-domain prod.example --derived',
        'tessera issuer add bank bank-ca.pem --profile strict --crl-file /var/lib/bank/ca.crl --ocsp if-available',
        'tessera issuer add intranet intranet-ca.pem --crl required --allow-address 10.20.0.0/16',
      ],
    }),
    change: issuer.change({
      about: 'change what the flags name; the rest stays, and so do existing grants',
      examples: [
        'tessera issuer change corp --profile strict --crl required',
        'tessera issuer change corp --certificate corp-ca-renewed.pem',
      ],
    }),
    list: issuer.list({
      about: 'list the approved issuers',
      options: { all: flag('include removed issuers') },
      examples: ['tessera issuer list', 'tessera issuer list --all --json'],
    }),
    show: issuer.show({
      about: 'show one issuer with all its settings, also a removed one',
      examples: ['tessera issuer show corp'],
    }),
    remove: issuer.remove({
      about: 'accept its certificates no longer; existing grants stay',
      examples: ['tessera issuer remove corp'],
    }),
  }),
};
