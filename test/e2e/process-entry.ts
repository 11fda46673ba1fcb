// Runs the service that a configuration file describes, as `tessera serve` does, and prints where it listens.
import { loadConfig } from '../../src/config/load.ts';
import { runService } from '../../src/run-service.ts';

const config = loadConfig({ file: process.argv[2], env: {} });
await runService(config, 1, (addresses) => console.log(`listening ${addresses[0]}`));
