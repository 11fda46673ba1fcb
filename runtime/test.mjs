// `npm test`: every test, or those named. Examples:
//   npm test
//   npm test -- test/core/scope.test.ts
//   npm test -- --test-name-pattern='spec 3'
import { spawn } from 'node:child_process';

const given = process.argv.slice(2);
const files = given.filter((argument) => !argument.startsWith('-'));
const flags = given.filter((argument) => argument.startsWith('-'));
const tests = files.length > 0 ? files : ['test/**/*.test.ts'];
const child = spawn(process.execPath, ['--test', ...flags, ...tests], { stdio: 'inherit' });
child.on('exit', (code) => process.exit(code ?? 1));
