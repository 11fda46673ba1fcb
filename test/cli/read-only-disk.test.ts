// Only in test:all: processes that are killed, and disks that are full
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { noSmallDisk, onSmallDisk } from '../small-disk.ts';

suite('a read-only disk', { skip: noSmallDisk }, () => {
  test('is called so by commands, by serve and by doctor', async () => {
    const printed = await onSmallDisk(
      '50m',
      'tessera init >init.log; mount -o remount,ro "$DISK"; tessera serve; tessera grant list; tessera doctor',
    );
    const [serve = '', list = '', doctor = ''] = printed.split(/(?<=\[exit \d+\])\n/);
    for (const text of [serve, list])
      assert.equal(
        text,
        'tessera: /disk/data/tessera.db is on a read-only file system (EROFS)\n  Mount it writable: the service and its commands write there. If nobody made it read-only, the disk has errors: see the log of the system.\n[exit 4]',
      );
    for (const about of ['data folder', 'store file'])
      assert.match(
        doctor,
        new RegExp(
          `^FAIL  ${about}: /disk/data\\S* is on a read-only file system \\(EROFS\\)\n +Mount it writable`,
          'm',
        ),
      );
    assert.doesNotMatch(doctor, /chown|Check the path/);
  });
});
