import { buildProgram } from './program.ts';
import { EXIT } from './terminal/exit.ts';
import { endOf } from './terminal/failure.ts';

/** Runs the command line of this process and sets its exit code. */
export async function run(): Promise<void> {
  // A closed pipe (`| head`) is not a fault.
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
