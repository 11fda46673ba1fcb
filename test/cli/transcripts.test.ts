import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { Commands } from './commands.ts';
import { runTranscript } from './transcript.ts';

/** Commands of these transcripts have processes of their own, as they have for an operator. */
const IN_OWN_PROCESSES = ['help.transcript', 'init.transcript'];

suite('the tessera command does what its transcripts show', () => {
  const commands = new Commands();
  after(() => commands.close());
  const folder = import.meta.dirname;
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.transcript'))) {
    test(file.replace('.transcript', ''), () =>
      runTranscript(join(folder, file), IN_OWN_PROCESSES.includes(file) ? undefined : commands),
    );
  }
});
