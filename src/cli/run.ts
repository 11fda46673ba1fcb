import { buildProgram } from './program.ts';
import { EXIT } from './terminal/exit.ts';
import { endOf } from './terminal/failure.ts';

/** Runs the command line of this process and sets its exit code. */
export async function run(): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok); // a closed pipe (`| head`) is not a fault
    process.stderr.write(`tessera: cannot write the result: ${error.message}\n  Check where the output goes.\n`);
    process.exit(EXIT.refused);
  });
  await runCommand(process.argv.slice(2));
}

/** Runs one command and sets the exit code. A process may run several, one after the other. */
export async function runCommand(args: readonly string[]): Promise<void> {
  const program = buildProgram();
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    process.exitCode = endOf(error, program.opts()['debug'] === true);
    // A worker's channel to its supervisor would keep it alive.
    if (process.send) process.exit();
  }
}
