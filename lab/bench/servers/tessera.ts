// Tessera as `tessera serve` runs it.
//   tessera.ts WORKERS SETTING…     one worker sends its port to its parent, if there is one, when it is ready
import { loadConfig } from '../../../src/config/load.ts';
import { runService } from '../../../src/run-service.ts';

const [workers, ...sets] = process.argv.slice(2);
const parent = workers === '1' ? process : undefined;
parent?.once('disconnect', () => process.exit());
await runService(loadConfig({ env: {}, sets }), Number(workers), ([address = '']) =>
  parent?.send?.({ port: Number(new URL(address).port) }),
);
