// npm run configuration: writes docs/configuration.md and docs/tessera.schema.json anew, from the schema of the settings.
import { writeFileSync } from 'node:fs';
import { configJsonSchema } from '../../src/config/json-schema.ts';
import { configReference } from './reference.ts';

writeFileSync('docs/configuration.md', configReference());
writeFileSync('docs/tessera.schema.json', `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
console.log('docs/configuration.md and docs/tessera.schema.json are written. Now: npm run format');
