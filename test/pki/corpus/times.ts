// Validity: the forms of time that RFC 5280 4.1.2.5 allows, and the seconds at which a certificate begins and ends.
import { TAG } from '../../../src/pki/der/der.ts';
import { write, writeSequence } from '../../../src/pki/der/der-write.ts';
import { ACCEPTED, byRule, type Case, casesOf, type Row, UNREADABLE } from './case.ts';
import { forged, NO_PARSE } from './encoding.ts';
import type { Forgery } from './forge.ts';
import { latin } from './pieces.ts';

const EXPIRED = 'certificate-expired: expired';
const EARLY = 'certificate-not-yet-valid: not-yet-valid';

const utc = (text: string) => write(TAG.utcTime, latin(text));
const generalized = (text: string) => write(TAG.generalizedTime, latin(text));
const FROM = utc('200101000000Z');
const UNTIL = utc('490101000000Z');
const validity = (from: Uint8Array, until: Uint8Array): Forgery => ({
  fields: { validity: writeSequence(from, until) },
});

const TIMES: readonly [clause: string, what: string, from: Uint8Array, until: Uint8Array, verdict: string][] = [
  ['5', 'the last second of the validity', FROM, utc('261115120000Z'), ACCEPTED],
  ['5', 'a second after the validity', FROM, utc('261115115959Z'), EXPIRED],
  ['5', 'the first second of the validity', utc('261115120000Z'), UNTIL, ACCEPTED],
  ['5', 'a second before the validity', utc('261115120001Z'), UNTIL, EARLY],
  ['5', 'a validity that ends before it begins', utc('300101000000Z'), utc('250101000000Z'), EARLY],
  ['5', 'no end at all, 99991231235959Z', FROM, generalized('99991231235959Z'), ACCEPTED],
  ['5.1', 'two-digit year 50, which is 1950', utc('500101000000Z'), UNTIL, ACCEPTED],
  ['5.1', 'an end in 1999', FROM, utc('991231235959Z'), EXPIRED],
  ['5.1', 'UTCTime without seconds', utc('2001010000Z'), UNTIL, UNREADABLE],
  ['5.1', 'UTCTime with an offset', utc('200101000000+0100'), UNTIL, UNREADABLE],
  ['5.1', 'UTCTime without Z', utc('200101000000'), UNTIL, UNREADABLE],
  ['5.1', 'a small z', utc('200101000000z'), UNTIL, UNREADABLE],
  ['5.1', 'month 13', utc('201301000000Z'), UNTIL, UNREADABLE],
  ['5.1', 'month 0', utc('200001000000Z'), UNTIL, UNREADABLE],
  ['5.1', 'the 30th of February', utc('200230000000Z'), UNTIL, UNREADABLE],
  ['5.1', 'the 29th of February of a common year', utc('210229000000Z'), UNTIL, UNREADABLE],
  ['5.1', 'the 29th of February of a leap year', utc('200229000000Z'), UNTIL, ACCEPTED],
  ['5.1', 'hour 24', utc('200101240000Z'), UNTIL, UNREADABLE],
  ['5.1', 'minute 60', utc('200101006000Z'), UNTIL, UNREADABLE],
  ['5.1', 'second 60', utc('200101000060Z'), UNTIL, UNREADABLE],
  ['5.1', 'letters for digits', utc('2001010000aaZ'), UNTIL, UNREADABLE],
  ['5.1', 'a NUL behind the time', utc('200101000000Z\0'), UNTIL, UNREADABLE],
  ['5.2', 'GeneralizedTime with a fraction', FROM, generalized('20600101000000.5Z'), UNREADABLE],
  ['5.2', 'GeneralizedTime without seconds', FROM, generalized('206001010000Z'), UNREADABLE],
  ['5.2', 'GeneralizedTime from 2050 on', FROM, generalized('20500101000000Z'), ACCEPTED],
  ['5', 'a time of neither kind', write(TAG.visible, latin('200101000000Z')), UNTIL, UNREADABLE],
];

const UNPARSED = [
  'UTCTime without seconds',
  'UTCTime without Z',
  'GeneralizedTime without seconds',
  'a time of neither kind',
];

function timeRow([clause, what, from, until, verdict]: (typeof TIMES)[number]): Row {
  const row = { clause: `4.1.2.${clause}`, what, forgery: validity(from, until), verdict };
  return forged(UNPARSED.includes(what) ? { ...row, noHandshake: NO_PARSE } : row);
}

const LONG_DATE: Row = {
  clause: '4.1.2.5.2',
  what: 'GeneralizedTime before 2050',
  leaf: { notAfterDer: generalized('20490101000000Z') },
  verdict: ACCEPTED,
  strict: byRule('dates-encoded'),
};

export const TIME_CASES: readonly Case[] = casesOf([...TIMES.map(timeRow), LONG_DATE]);
