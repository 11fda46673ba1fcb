// Tessera as `tessera serve` runs it.
//   tessera.ts SETTING…     sends its port to its parent when it is ready
import { loadConfig } from '../../../src/config/load.ts';
import { runService } from '../../../src/run-service.ts';

process.once('disconnect', () => process.exit());
const config = loadConfig({ env: {}, sets: process.argv.slice(2) });
await runService(config, 1, ([address = '']) => process.send?.({ port: Number(new URL(address).port) }));
