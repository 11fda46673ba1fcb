// CRL files, reloaded while the service runs.
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CertificateJudge } from '../../src/pki/judge/certificate-judge.ts';
import { followLists } from '../../src/serve/follow-lists.ts';
import { makeAuthority } from '../authority.ts';
import { approve, NOW } from '../pki/approved.ts';
import { temporaryFolder } from '../temporary-folder.ts';

test('a CRL file is read again if reading it failed by itself, and a damaged one only when it has changed', async (t) => {
  const folder = temporaryFolder('lists');
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'root.crl');
  const root = makeAuthority({ name: 'Root' });
  writeFileSync(path, root.crl());
  const judge = new CertificateJudge({ now: () => NOW, fetch: () => Promise.reject(new Error('nothing is fetched')) });
  const { reader } = judge.revocation;
  const read = reader.read.bind(reader);
  let reads = 0;
  reader.read = (...of) => (reads++ === 0 ? Promise.reject(new Error('the thread ended with 1')) : read(...of));
  const issuers = [approve(root, { revocation: { crl: 'required', ocsp: 'off', crlFiles: [path], endGrants: true } })];
  const faults: string[] = [];
  const follow = followLists(judge, { issuers } as never, (fault) => faults.push(String(fault)));
  await follow();
  assert.deepEqual([judge.revocation.lists.length, faults], [0, ['Error: the thread ended with 1']]);
  await follow();
  assert.deepEqual([judge.revocation.lists.length, faults.length], [1, 1]);
  writeFileSync(path, 'damaged');
  for (let look = 0; look < 3; look++) await follow();
  assert.deepEqual([judge.revocation.lists.length, faults.length], [1, 2]);
  assert.equal(reads, 3, 'not at every look');
});
