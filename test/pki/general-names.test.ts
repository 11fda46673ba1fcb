// Which alternative names are well-formed, which can be compared with constraints, and what a constraint may be.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readElement } from '../../src/pki/der/der.ts';
import { writeSequence } from '../../src/pki/der/der-write.ts';
import { readName } from '../../src/pki/x509/distinguished-name.ts';
import { checksOf, type GeneralName, isAddressAsName } from '../../src/pki/x509/general-name.ts';
import { nameOf } from '../signed-der.ts';

suite('the form of alternative names and constraints (RFC 5280 4.2.1.6 and 4.2.1.10)', () => {
  const ip = (...octets: number[]): GeneralName => ({ kind: 'ip', octets: Uint8Array.from(octets) });
  const text = (kind: 'dns' | 'email' | 'uri', value: string): GeneralName => ({ kind, value });
  const zeros = (count: number) => Array<number>(count).fill(0);
  const label = (length: number) => `${'a'.repeat(length)}.com`;
  const ROWS: readonly [name: GeneralName, isWellFormed: boolean, isComparable: boolean, isConstraint: boolean][] = [
    [ip(...zeros(4)), true, true, false],
    [ip(...zeros(5)), false, true, false],
    [ip(...zeros(8)), false, true, true],
    [ip(...zeros(16)), true, true, false],
    [ip(...zeros(17)), false, true, false],
    [ip(...zeros(32)), false, true, true],
    [ip(10, 0, 0, 0, 255, 128, 0, 0), false, true, true],
    [ip(10, 0, 0, 0, 255, 1, 0, 0), false, true, false],
    [text('dns', label(63)), true, true, true],
    [text('dns', label(64)), false, false, false],
    [text('dns', ''), false, false, true],
    [text('dns', '.x.com'), false, false, true],
    [text('dns', '10.0.0.1'), false, true, false],
    [text('email', 'a@x.com'), true, true, true],
    [text('email', 'a@@x.com'), false, false, false],
    [text('email', '@x.com'), false, false, false],
    [text('email', 'a@.x.com'), false, false, false],
    [text('email', '.x.com'), false, false, true],
    [text('uri', 'urn:x'), true, false, false],
    [text('uri', 'https://x.com:8443/a'), true, true, false],
    [text('uri', '.x.com'), false, false, true],
    [{ kind: 'registered', oid: '1.2.3' }, true, false, true],
    [{ kind: 'directory', name: readName(readElement(writeSequence())) }, false, true, true],
    [{ kind: 'directory', name: readName(readElement(nameOf('x'))) }, true, true, true],
  ];

  test('is checked for each kind', () => {
    for (const [name, ...expected] of ROWS) {
      const { isWellFormed, isComparable, isConstraint } = checksOf(name);
      assert.deepEqual(
        [isWellFormed(name), isComparable(name), isConstraint(name, 'rfc5280')],
        expected,
        JSON.stringify(name),
      );
    }
  });

  test('a DNS name that is an address is found, with or without a final period', () => {
    for (const value of ['10.0.0.1', '10.0.0.1.']) assert.equal(isAddressAsName(text('dns', value)), true);
    for (const name of [text('dns', 'x.com'), text('uri', '10.0.0.1')]) assert.equal(isAddressAsName(name), false);
  });
});

test('a host name has at most 253 characters (RFC 1035 2.3.4); for constraints, also a final period', () => {
  const long = (last: number) => [...Array(3).fill('a'.repeat(63)), 'b'.repeat(last)].join('.');
  const facts = (value: string) => {
    const name: GeneralName = { kind: 'dns', value };
    const { isWellFormed, isComparable } = checksOf(name);
    return [isWellFormed(name), isComparable(name)];
  };
  assert.deepEqual([long(61).length, facts(long(61))], [253, [true, true]]);
  assert.deepEqual(facts(`${long(61)}.`), [false, true]);
  assert.deepEqual(facts(long(62)), [false, true]);
  assert.deepEqual(facts(long(63)), [false, false]);
});
