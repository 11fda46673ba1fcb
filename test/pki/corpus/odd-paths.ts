// Odd paths: keys and names that are used twice, certificates that do not belong, and duplicates.
import { TAG } from '../../../src/pki/der/der.ts';
import { write, writeSequence } from '../../../src/pki/der/der-write.ts';
import { type Issued, makeAuthority } from '../../authority.ts';
import { ecKeys } from '../../signed-der.ts';
import { ACCEPTED, below, byRule, issue, NOT_APPROVED, ROOT, type Row, told } from './case.ts';
import * as piece from './pieces.ts';

const { octets, times, withExtension } = piece;
const CRITICAL = byRule('critical-extensions-known');
const NULL = write(TAG.null);

const reused = makeAuthority({ name: 'Corpus Root', keys: ROOT.keys });
const emptyNamed = below({ subject: writeSequence(), keys: ecKeys() });
const beside = (issued: Issued, ...more: Uint8Array[]): Issued => ({ ...issued, chain: [...issued.chain, ...more] });

export const ODD_PATHS: readonly Row[] = told([
  ['T: pinned by key', 'a leaf with the key of its issuer', { leaf: { keys: ROOT.keys } }, ACCEPTED],
  [
    'T: pinned by key',
    'a leaf with name and key of its issuer',
    { leaf: { keys: ROOT.keys, subject: ROOT.subject } },
    'accepted Corpus Root',
  ],
  [
    '6.1',
    'a leaf below a leaf, with the sign of a proxy certificate',
    {
      made: () => {
        const holder = below({ name: 'holder', extensions: [piece.basic([])], keys: ecKeys() });
        return issue(withExtension('1.3.6.1.5.5.7.1.14', writeSequence(), true), holder);
      },
    },
    byRule('authority-is-ca'),
  ],
  ['4.1.2.6', 'an intermediate without a name', { made: () => issue({}, emptyNamed) }, byRule('subject-name-present')],
  [
    '6.1',
    'a second certificate of the root, with another serial number',
    { made: () => beside(issue(), reused.certificate) },
    ACCEPTED,
  ],
  [
    '6.1',
    'the same intermediate twenty times',
    {
      made: () => {
        const issued = issue({}, below());
        return beside(issued, ...times(20, () => issued.chain[1] ?? octets()));
      },
    },
    ACCEPTED,
  ],
  [
    '7.1',
    'a stranger that differs from the root in invisible characters, between',
    { made: () => beside(issue(), makeAuthority({ name: 'Corpus\u00ad Root' }).certificate) },
    ACCEPTED,
  ],
  [
    '7.1',
    'a leaf of such a stranger',
    { made: () => issue({}, makeAuthority({ name: 'Corpus\u00ad Root' })), approved: ROOT },
    NOT_APPROVED,
  ],
  [
    '4.2.1.3',
    'an intermediate that may sign lists only',
    { made: () => issue({}, below({ extensions: [piece.keyUsage(1, 0x02)], keys: ecKeys() })) },
    byRule('authority-may-sign'),
  ],
  [
    '4.2',
    'an intermediate with a critical extension that nobody knows',
    { made: () => issue({}, below({ ...withExtension('1.2.3.4', NULL, true), keys: ecKeys() })) },
    CRITICAL,
  ],
  [
    '6.1',
    'such an intermediate, and its certificate without it',
    {
      made: () => {
        const keys = ecKeys();
        const odd = below({ ...withExtension('1.2.3.4', NULL, true), keys });
        return beside(issue({}, odd), below({ keys }).certificate);
      },
    },
    ACCEPTED,
  ],
]);
