// Those whose commands can run at a service do so in transcripts-at-service.test.ts.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { seesIntermediates } from '../../src/serve/this-node.ts';
import { Commands } from './commands.ts';
import { runTranscript } from './transcript.ts';

/** These run doctor, which says what older versions of Node lack. */
const FOR_THE_PINNED_NODE = ['doctor.transcript', 'keyring.transcript'];

suite('the tessera command does what its transcripts show', () => {
  const commands = new Commands();
  after(() => commands.close());
  const folder = import.meta.dirname;
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.transcript'))) {
    test(file.replace('.transcript', ''), async (t) => {
      if (FOR_THE_PINNED_NODE.includes(file) && !(await seesIntermediates()))
        return t.skip(`doctor has something to say of ${process.version}`);
      await runTranscript(join(folder, file), commands);
    });
  }
});
