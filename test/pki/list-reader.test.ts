// Large lists are parsed in a thread, with the same result as small ones.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { suite, test } from 'node:test';
import { whyNotTrusted } from '../../src/pki/revocation/crl-check.ts';
import { ListReader } from '../../src/pki/revocation/list-reader.ts';
import { readCertificate } from '../../src/pki/x509/certificate.ts';
import { makeAuthority } from '../authority.ts';
import { largeList, largeSerial } from '../large-list.ts';

const COUNT = 20_000;
const root = makeAuthority({ name: 'Root' });
const namesake = makeAuthority({ name: 'Root' });
const authorities = [root, namesake].map(({ certificate }) => {
  const read = readCertificate(certificate);
  return read.ok ? read.value : assert.fail('the authority cannot be read');
});
const copyOf = (list: Uint8Array) => new Uint8Array(list);

async function readOne(contents: Uint8Array<ArrayBuffer>) {
  const { lists, ...rest } = await new ListReader().read(contents, authorities);
  assert.equal(lists.length, 1);
  return { ...rest, list: lists[0]?.ok ? lists[0].value : assert.fail(lists[0]?.refusal ?? 'no list') };
}

suite('a list of many entries', () => {
  const der = largeList(root, COUNT);

  test('is parsed in a thread, with every entry and its contents', async () => {
    const given = copyOf(der);
    const { list, contents, mark } = await readOne(given);
    assert.equal(given.length, 0, 'the octets went to the thread, and were not copied');
    assert.equal(list.revoked.size, COUNT);
    for (const index of [0, 1, COUNT / 2, COUNT - 1]) assert.ok(list.revoked.has(largeSerial(index)));
    assert.ok(!list.revoked.has(largeSerial(COUNT)));
    assert.equal(mark, hash('sha256', der));
    assert.deepEqual(Buffer.from(contents), Buffer.from(der));
  });

  test('is trusted by its signature, which the thread checks', async () => {
    const { list } = await readOne(copyOf(der));
    const [own, other] = authorities;
    assert.ok(own && other);
    assert.equal(whyNotTrusted(list, [own]), undefined);
    assert.equal(whyNotTrusted(list, [other]), 'the CRL is not signed by the issuer');
    const forged = copyOf(der);
    forged[forged.length - 1] = (forged.at(-1) ?? 0) ^ 1;
    assert.equal(whyNotTrusted((await readOne(forged)).list, [own]), 'the CRL is not signed by the issuer');
  });

  test('is hashed but not parsed again if its contents are held', async () => {
    for (const contents of [der, root.crl()].map(copyOf)) {
      const whole = Buffer.from(contents);
      const read = await new ListReader().read(contents, authorities, ['00', hash('sha256', whole)]);
      assert.deepEqual(read.lists, []);
      assert.equal(read.mark, hash('sha256', whole));
      assert.deepEqual(Buffer.from(read.contents), whole);
    }
  });

  test('may be PEM', async () => {
    const body = Buffer.from(der).toString('base64');
    const { list } = await readOne(copyOf(Buffer.from(`-----BEGIN X509 CRL-----\n${body}\n-----END X509 CRL-----\n`)));
    assert.equal(list.revoked.size, COUNT);
  });

  test('is refused if damaged, and so is anything that is not a list', async () => {
    const short = copyOf(der).slice(0, -5);
    const { lists } = await new ListReader().read(short, authorities);
    assert.match(lists[0]?.ok === false ? lists[0].refusal : 'read', /cannot be read/);
    const none = await new ListReader().read(new Uint8Array(1024 * 1024), authorities);
    assert.deepEqual(none.lists, []);
  });

  test('that takes longer than a minute is given up', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const reading = new ListReader().read(copyOf(der), authorities);
    await Promise.resolve();
    mock.timers.tick(60_000);
    await assert.rejects(reading, /^Error: it took longer than 60 s$/);
  });

  test('takes less than 64 bytes of memory per entry', async () => {
    const { list, contents } = await readOne(copyOf(der));
    assert.equal(list.toBeSigned.whole.buffer, contents.buffer, 'the list lies where its contents lie');
    const table = 4 * (Math.ceil(COUNT * 1.5) + 1);
    assert.ok((contents.length + table) / COUNT < 64);
  });
});
