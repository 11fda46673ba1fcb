// The guard of APIs behind a proxy: the command of @tessera/verify. It needs neither a configuration of the service nor a store.

import { ABOUT, ABOUT_CHECK, ABOUT_SCHEMA, FLAGS } from '../../../sdk/verify/src/guard/words.ts';
import type { Explained } from '../../../sdk/verify/src/guard.ts';
import { command } from '../terminal/command.ts';
import { CommandFailure } from '../terminal/exit.ts';
import { AS_JSON, argument, optionalArgument, text } from '../terminal/options.ts';
import { printJson, printRecord } from '../terminal/output.ts';

const work = () => import('../../../sdk/verify/src/guard.ts');

export const commands = {
  guard: command({
    about: ABOUT,
    arguments: { file: optionalArgument('the rules, JSON: docs/guard.md') },
    options: {
      issuer: text(...FLAGS.issuer),
      resourceServer: text(...FLAGS.resourceServer),
      audience: text(...FLAGS.audience),
      secretFile: text(...FLAGS.secretFile),
      ca: text(...FLAGS.ca),
      listen: text(...FLAGS.listen),
    },
    examples: ['tessera guard /etc/tessera-guard/guard.json'],
    commands: {
      check: command({
        about: ABOUT_CHECK,
        arguments: {
          file: argument('the rules'),
          method: argument('such as GET'),
          url: argument('such as https://orders.example.com/orders/1'),
        },
        options: AS_JSON,
        examples: ['tessera guard check guard.json GET https://orders.example.com/orders/1'],
        run: ({ file, method, url, json }) =>
          orFailure(async () => show((await work()).explainRequest(file, method, url), json)),
      }),
      schema: command({
        about: ABOUT_SCHEMA,
        examples: ['tessera guard schema > guard.schema.json'],
        run: async () => void process.stdout.write(`${(await work()).schemaText()}\n`),
      }),
    },
    run: ({ file, ...flags }) => orFailure(async () => (await work()).runGuard(file, flags)),
  }),
};

function show({ isAsked, lines }: Explained, json: true | undefined): void {
  if (json) printJson({ isAsked, ...lines });
  else printRecord(lines);
  if (!isAsked) process.exitCode = 1;
}

async function orFailure(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).syscall === 'listen') throw new CommandFailure('listener', `${fault}`);
    if ((await work()).isConfigurationFault(fault))
      throw new CommandFailure('configuration', fault.message, 'See: docs/guard.md');
    throw fault;
  }
}
