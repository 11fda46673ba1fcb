import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { runTranscript } from './transcript.ts';

// Each transcript has a folder of its own, so two can run at once.
suite('the tessera command does what its transcripts show', { concurrency: 2 }, () => {
  const folder = import.meta.dirname;
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.transcript'))) {
    test(file.replace('.transcript', ''), () => runTranscript(join(folder, file)));
  }
});
