// What a caller has asked for, by headers of the proxy or by the path of the request to the guard, and the certificate of the caller.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { suite, test } from 'node:test';
import { readAsked, readCertificate } from '../../../../sdk/verify/src/guard/asked.ts';
import { makeAuthority } from '../../../authority.ts';

const headers = (...lines: readonly (readonly [string, string])[]) => {
  const found: Record<string, string[]> = {};
  for (const [name, value] of lines) found[name] = [...(found[name] ?? []), value];
  return found;
};
const [METHOD, HOST, URI] = ['x-forwarded-method', 'x-forwarded-host', 'x-forwarded-uri'];
const forwarded = (host: string, method = 'GET') =>
  readAsked({ headersDistinct: headers([METHOD, method], [HOST, host], [URI, '/a?b']) }, 'headers');

test('the host is read without port and case', () => {
  const asked = { method: 'GET', host: 'orders.example', target: '/a?b' };
  for (const host of [
    'orders.example',
    'Orders.EXAMPLE',
    'orders.example:8443',
    'orders.example.',
    'orders.example.:1',
  ])
    assert.deepEqual(forwarded(host), asked);
});

test('what is missing, repeated or malformed is not guessed', () => {
  for (const host of ['', 'a,b', 'a b', 'a/b', 'a@b', 'a:b', 'a..b', '.a', 'a, a', 'ä', 'a:999999', '%61'])
    assert.equal(typeof forwarded(host), 'string', host);
  for (const method of ['', 'GET POST', 'GET,POST', 'G'.repeat(21), 'GET\n', '1', 'get', 'Delete'])
    assert.equal(typeof forwarded('a', method), 'string', method);
  const lines = [[METHOD, 'GET'] as const, [HOST, 'a'] as const, [URI, '/'] as const];
  for (const line of lines) {
    const without = headers(...lines.filter((each) => each !== line));
    const twice = headers(...lines, line);
    for (const headersDistinct of [without, twice])
      assert.match(JSON.stringify(readAsked({ headersDistinct }, 'headers')), /each once/);
  }
});

test('one of the two ways is read, never a mixture', () => {
  const both = {
    method: 'POST',
    url: '/check/below',
    headersDistinct: headers([METHOD, 'GET'], [HOST, 'a'], [URI, '/h'], ['host', 'b']),
  };
  assert.deepEqual(readAsked(both, 'headers'), { method: 'GET', host: 'a', target: '/h' });
  assert.deepEqual(readAsked(both, 'path'), { method: 'POST', host: 'b', target: '/below' });
});

suite('the certificate of the caller', () => {
  const pem = makeAuthority().pem;
  const der = new X509Certificate(pem).raw;
  const escaped = encodeURIComponent(pem);
  const read = (form: 'rfc9440' | 'url-encoded-pem' | 'xfcc', ...lines: string[]) =>
    readCertificate({ cert: lines }, { header: 'Cert', form });
  const GOOD = [
    ['rfc9440', `:${der.toString('base64')}:`],
    ['url-encoded-pem', escaped],
    ['xfcc', `By=spiffe://a;Hash=00;Cert="${escaped}";Subject="CN=a,O=b"`],
  ] as const;
  for (const [form, line] of GOOD)
    test(`is read as ${form}, from one line alone`, () => {
      assert.deepEqual(Buffer.from(read(form, line) ?? ''), der);
      for (const lines of [[line, line], [], [`${line},${line}`], [line.slice(0, -20)], ['']])
        assert.equal(read(form, ...lines), undefined);
    });
});
