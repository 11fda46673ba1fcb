// `npm test`: every test, or those named. Examples:
//   npm test
//   npm test -- test/core/scope.test.ts
//   npm test -- --test-name-pattern='contract 3'
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installNeeds } from './needs.mjs';

installNeeds('tests');

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const given = process.argv.slice(2);
const files = given.filter((argument) => !argument.startsWith('-'));
const flags = given.filter((argument) => argument.startsWith('-'));
const tests = files.length > 0 ? files : ['test/**/*.test.ts'];
const child = spawn(process.execPath, ['--test', ...flags, ...tests], { cwd: root, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
