import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isAddressRange, rangeMatcher, whyNotReachable } from '../../src/outbound/address-filter.ts';

/** What leads to an IPv4 address (RFC 4291 2.5.5.2, RFC 6052), as people and as machines write it. */
function embedding(dotted: string, hex: string): string[] {
  const mapped = [`::ffff:${dotted}`, `::FFFF:${hex}`, `0:0:0:0:0:ffff:${hex}`, `::ffff:${dotted}%eth0`];
  return [...mapped, `64:ff9b::${dotted}`, `64:ff9b:0:0:0:0:${hex}`];
}

suite('a non-public address', () => {
  const kinds: Readonly<Record<string, readonly string[]>> = {
    loopback: ['127.0.0.1', '127.255.255.254', '::1', '::1%lo', ...embedding('127.0.0.1', '7f00:1')],
    private: [
      ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1'],
      ...['fc00::1', 'fdff::1', 'FD00::1', 'fec0::1', ...embedding('10.0.0.1', 'a00:1')],
    ],
    'link-local': [
      ...['169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'fe80::5efe:7f00:1'],
      ...embedding('169.254.169.254', 'a9fe:a9fe'),
    ],
    multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1', ...embedding('224.0.0.1', 'e000:1')],
    reserved: [
      ...['0.0.0.0', '0.1.2.3', '192.0.0.8', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.19.255.255'],
      ...['198.51.100.1', '203.0.113.1', '240.0.0.1', '255.255.255.255', ...embedding('0.0.0.0', '0:0')],
      ...embedding('192.0.2.1', 'c000:201'),
      // Nothing, compatible, translated (RFC 2765), local NAT64, discard-only, Teredo, ORCHID, documentation, 6to4, not assigned.
      ...['::', '::7', '::127.0.0.1', '::8.8.8.8', '::ffff:0:127.0.0.1', '::ffff:0:7f00:1', '::ffff:0:8.8.8.8'],
      ...['::1:2:3', '64:ff9b:1::7f00:1', '64:ff9b:1::808:808', '64:ff9b:0:0:0:1::', '100::1', '100:0:0:1::1'],
      ...['2001::1', '2001:0:7f00:1::', '2001:0:4136:e378:8000:63bf:80ff:fffe', '2001:10::1', '2001:20::1'],
      ...['2001:db8::1', '2002:7f00:1::', '2002:808:808::1', '3fff::1', '4000::1', '5f00::1', '8000::1', 'e000::1'],
    ],
  };
  for (const [kind, addresses] of Object.entries(kinds)) {
    test(`is refused: ${kind}`, () => {
      for (const address of addresses)
        assert.match(whyNotReachable(address) ?? 'allowed', new RegExp(`is ${kind}`), address);
    });
  }

  test('is allowed if listed, alone or by its network', () => {
    assert.equal(whyNotReachable('10.1.2.3', ['10.1.2.3']), undefined);
    assert.equal(whyNotReachable('10.1.2.3', ['fd00::/8', '10.1.0.0/16']), undefined);
    assert.equal(whyNotReachable('fd00::5', ['fd00::/8']), undefined);
    assert.match(whyNotReachable('10.2.0.1', ['10.1.0.0/16']) ?? '', /private/);
  });

  test('is distinguished from public and malformed addresses', () => {
    const v4 = [
      '1.1.1.1',
      '93.184.215.14',
      '172.15.255.255',
      '172.32.0.1',
      '100.63.0.1',
      '100.128.0.1',
      '223.255.255.255',
    ];
    const v6 = ['2606:2800:21f::1', '2001:200::1', '2001:4860:4860::8888', '2a00:1450::1', '3ffe::1', '2003::1'];
    for (const address of [...v4, ...v6, ...embedding('8.8.8.8', '808:808'), ...embedding('192.0.1.1', 'c000:101')])
      assert.equal(whyNotReachable(address), undefined, address);
    for (const text of [
      'example.com',
      'localhost',
      '',
      '0',
      '127.1',
      '0x7f.0.0.1',
      '2130706433',
      '[::1]',
      '127.0.0.1.',
    ])
      assert.match(whyNotReachable(text) ?? '', /not an IP address/, text);
  });
});

test('only an address can be in a range', () => {
  const isIn = rangeMatcher(['10.0.0.0/8', 'fd00::1']);
  assert.deepEqual(['10.1.2.3', 'fd00::1', '11.0.0.1', 'fd00::2', 'unknown', ''].map(isIn), [
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  assert.equal(rangeMatcher([])('10.1.2.3'), false);
});

test('a range is an address or a network in CIDR notation', () => {
  for (const range of ['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8']) assert.ok(isAddressRange(range), range);
  for (const range of ['10.0.0.0/33', 'fd00::/129', 'a.example', '10.0.0.0/', '/8', '10.0.0.0/8/8', '']) {
    assert.ok(!isAddressRange(range), range);
  }
});
