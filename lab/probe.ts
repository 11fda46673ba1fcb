import { floodMemory } from './chaos/memory-probe.ts';
await floodMemory(Number(process.argv[2]));
process.exit();
