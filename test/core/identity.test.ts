import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIdentityId } from '../../src/core/identity.ts';
import { parseClientId } from '../../src/core/integration.ts';
import { networkOf, presenter } from '../../src/core/presenter.ts';
import { ADA } from '../samples.ts';

test('an identity is <provider label>:<id>, the id a braced GUID or a hex string [contract 2.1]', () => {
  for (const id of [ADA, 'AD+corp:{00000000-0000-0000-0000-000000000000}', 'PKI:00ff', 'x:aa'])
    assert.equal(parseIdentityId(id), id);
  for (const id of [
    '',
    'local',
    'local:',
    ':00',
    'local:xyz',
    'local:{1}',
    'local:0',
    'a b:00',
    'local:00\n',
    'local:00:11',
  ]) {
    assert.equal(parseIdentityId(id), undefined, id);
  }
});

test('client_id is 1–128 visible ASCII characters, compared bytewise', () => {
  for (const id of ['a', 'x'.repeat(128), "' OR 1=1--", '../../x', '*)(uid=*'])
    assert.equal(parseClientId(id), id === "' OR 1=1--" ? undefined : id);
  for (const id of ['', 'x'.repeat(129), 'a b', 'a\n', 'ä', '\0', 'a\u007f'])
    assert.equal(parseClientId(id), undefined, JSON.stringify(id));
});

test('a presenter is printable and short, whatever the caller sent', () => {
  const { address, agent } = presenter('192.0.2.1', `evil\r\nSet-Cookie: x${'y'.repeat(200)}`);
  assert.equal(address, '192.0.2.1');
  assert.match(agent, /^[\u0020-\u007e]{1,80}$/);
});

test('limits per address count the /64 of an IPv6 caller, who owns all its addresses', () => {
  assert.equal(networkOf('192.0.2.7'), '192.0.2.7');
  const same = ['2001:db8:1:2::1', '2001:DB8:1:2:3:4:5:6', '2001:0db8:0001:0002::ffff'];
  for (const address of same) assert.equal(networkOf(address), '2001:db8:1:2::/64');
  assert.equal(networkOf('2001:db8::1'), '2001:db8:0:0::/64');
  assert.equal(networkOf('::1'), '0:0:0:0::/64');
  assert.equal(networkOf('2001::1:2:3:4:5'), '2001:0:0:1::/64', 'zeros in the middle of the network');
  assert.equal(networkOf('1:2:3:4:5:6:7::'), '1:2:3:4::/64');
  assert.equal(networkOf('::ffff:9.9.9.9'), '9.9.9.9', 'an IPv4 caller is not lumped together with all others');
  assert.equal(networkOf('::FFFF:9.9.9.9'), '9.9.9.9');
  assert.notEqual(networkOf('2001:db8:1:3::1'), networkOf('2001:db8:1:2::1'));
});
