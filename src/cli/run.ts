import { buildProgram } from './program.ts';
import { EXIT } from './terminal/exit.ts';
import { endOf } from './terminal/failure.ts';

/** The command line of this process, to its end and exit code. */
export async function run(): Promise<void> {
  // A reader that has seen enough (`| head`) is no fault.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.fault),
  );
  const program = buildProgram();
  try {
    await program.parseAsync();
  } catch (error) {
    process.exitCode = endOf(error, program.opts()['debug'] === true);
    // A worker's channel to its supervisor would keep it alive.
    if (process.send) process.exit();
  }
}
