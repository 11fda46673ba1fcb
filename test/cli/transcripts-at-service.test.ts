// Transcripts whose commands run at a service, where they can, or in processes of their own: the same output and the same exit codes.
// Only in test:all: every kind of act
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { AtService } from './at-service.ts';
import { runTranscript } from './transcript.ts';

/** About files, keys and copies of a store. */
const ON_THE_MACHINE = ['config', 'doctor', 'help', 'init', 'keyring', 'signing-keys', 'store'];

suite('transcripts at a service', () => {
  const way = new AtService();
  after(() => way.close());
  const folder = import.meta.dirname;
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.transcript'))) {
    const name = file.replace('.transcript', '');
    if (!ON_THE_MACHINE.includes(name)) test(name, () => runTranscript(join(folder, file), way));
  }
});

suite('transcripts in processes of their own, as for an operator', () => {
  for (const name of ['help', 'init']) test(name, () => runTranscript(join(import.meta.dirname, `${name}.transcript`)));
});
