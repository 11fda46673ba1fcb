// Commands on a disk that is full: nothing is left half done, and the message says what is wrong.
// Only in test:all: processes that are killed, and disks that are full
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { noSmallDisk, onSmallDisk } from '../small-disk.ts';

suite('a full disk', { skip: noSmallDisk }, () => {
  for (const size of ['4k', '16k', '64k', '200k'])
    test(`init with ${size} fails, leaves no store, and can be repeated when there is space`, async () => {
      const printed = await onSmallDisk(size, 'tessera init; ls data; resize 50m; tessera init; ls data');
      const [first = '', second = ''] = printed.split('[exit 4]');
      assert.match(first, /^ {2}The disk is full/m);
      assert.match(second, /^Left the configuration .*\nMade the store .*\nMade the keyring /m);
      assert.match(second, /\[exit 0\]\nkeyring\.json\ntessera\.db\n$/);
    });

  test('init that cannot write the configuration leaves none', async () => {
    const printed = await onSmallDisk('64k', 'fill; tessera init; ls; rm filler; resize 50m; tessera init');
    const [first = '', second = ''] = printed.split('[exit 1]');
    assert.match(first, /^tessera: .*\/tessera\.yaml: the disk is full\n {2}Free some space/);
    assert.match(second, /^\nfiller\nWrote .*tessera\.yaml\n/);
  });

  test('under a service: commands that only read work, others and doctor say that the disk is full', async () => {
    const printed = await onSmallDisk(
      '50m',
      `${SERVED}
      fill
      tessera grant list
      tessera integration add orders-sync --scope orders:read
      tessera doctor
      tessera keyring add`,
    );
    const [read = '', changed = '', doctor = '', keyring = ''] = printed.split(/(?<=\[exit \d+\])\n/);
    assert.match(read, /^GRANT .*\n\(none\)\n\[exit 0\]$/);
    assert.equal(
      changed,
      'tessera: the store cannot answer: the disk is full\n  The disk is full: free some space.\n[exit 4]',
    );
    assert.match(doctor, /^FAIL {2}file system of the store: it is full \(ENOSPC\)\n +Free some space/m);
    assert.match(doctor, /^FAIL {2}space: the disk is full: 0 MB are free\n +Free some space/m);
    assert.doesNotMatch(doctor, /restore|rollback -/i);
    assert.match(keyring, /^tessera: .*keyring\.json: the disk is full\n {2}Free some space.*\n\[exit 1\]/);
  });

  test('a backup to one names the copy, and leaves none', async () => {
    const printed = await onSmallDisk(
      '64k',
      `cd "$BESIDE" && tessera init >init.log
      tessera backup "$DISK/copy.db"; ls "$DISK"`,
    );
    assert.match(printed, /^tessera: \/disk\/copy\.db: the disk is full\n {2}Free some space there, .*\n\[exit 1\]\n$/);
  });
});

const SERVED = `tessera init >init.log
  "$NODE" "$TESSERA" --set 'listeners=[{ host: 127.0.0.1, port: 0 }]' serve >serve.log 2>&1 & service=$!
  trap 'kill $service; wait $service' EXIT
  until grep -q '"ready"' serve.log; do kill -0 $service || { cat serve.log; exit 1; }; sleep 0.1; done`;
