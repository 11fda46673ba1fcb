// Opens new databases in step with its siblings, and prints how often it failed.
import { join } from 'node:path';
import { makeDatabase, openDatabase } from '../../src/store/sqlite/connection.ts';

const [folder = '', beginning = '0', count = '0'] = process.argv.slice(2);
let faults = 0;
for (let n = 0; n < Number(count); n++) {
  while (Date.now() < Number(beginning) + n * 15);
  try {
    makeDatabase(join(folder, `${n}.db`));
    openDatabase(join(folder, `${n}.db`)).close();
  } catch {
    faults += 1;
  }
}
console.log(faults);
