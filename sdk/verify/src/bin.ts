#!/usr/bin/env node
// The program `tessera-guard`, for machines without the server.
import { parseArgs } from 'node:util';
import { ABOUT, ABOUT_CHECK, ABOUT_SCHEMA, FLAGS } from './guard/words.ts';
import { explainRequest, isConfigurationFault, runGuard, schemaText } from './guard.ts';

const PROGRAM = 'tessera-guard';
const names = Object.keys(FLAGS).map((name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
const abouts = Object.values(FLAGS).map(([value, about], index) => `  --${names[index]} ${value}\n      ${about}`);
const HELP = `${PROGRAM} FILE\n  ${ABOUT}
${PROGRAM} check FILE METHOD URL\n  ${ABOUT_CHECK}
${PROGRAM} schema\n  ${ABOUT_SCHEMA}

Options:\n${abouts.join('\n')}\n`;

await run().catch((fault: NodeJS.ErrnoException) => {
  const isListening = fault.syscall === 'listen';
  const isUsage = fault.code?.startsWith('ERR_PARSE_ARGS_');
  if (!isListening && !isUsage && !isConfigurationFault(fault)) throw fault;
  process.stderr.write(`${PROGRAM}: ${fault.message}\n`);
  process.exitCode = isUsage ? 2 : isListening ? 7 : 3;
});

async function run(): Promise<void> {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' }] as const));
  const { values, positionals } = parseArgs({
    options: { ...options, help: { type: 'boolean' } },
    allowPositionals: true,
  });
  const [word, ...rest] = positionals;
  if (values['help'] || (word === undefined && Object.keys(values).length === 0)) return print(HELP);
  if (word === 'schema') return print(`${schemaText()}\n`);
  if (word === 'check') return check(rest);
  const given: Readonly<Record<string, string | boolean | undefined>> = values;
  const flags = Object.keys(FLAGS).map((name, index) => [name, given[names[index] ?? '']]);
  return runGuard(word, Object.fromEntries(flags));
}

function check([file = '', method = '', url = '']: readonly string[]): void {
  const { isAsked, lines } = explainRequest(file, method, url);
  for (const [name, line] of Object.entries(lines)) print(`${name.padEnd(8)}  ${line}\n`);
  if (!isAsked) process.exitCode = 1;
}

function print(text: string): void {
  process.stdout.write(text);
}
