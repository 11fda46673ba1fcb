// Transcripts whose commands run at a service, where they can: the same output and the same exit codes as beside the store.
// Only in test:all: every kind of act
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { AtService, isForService } from './at-service.ts';
import { runTranscript } from './transcript.ts';

suite('transcripts at a service', () => {
  const way = new AtService();
  after(() => way.close());
  const folder = import.meta.dirname;
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.transcript'))) {
    const commands = readFileSync(join(folder, file), 'utf8').match(/^\$ tessera .*/gm) ?? [];
    const isShown = commands.some((line) => isForService(line.split(' ').slice(2)));
    if (isShown) test(file.replace('.transcript', ''), () => runTranscript(join(folder, file), way));
  }
});
