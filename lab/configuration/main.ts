// npm run configuration: writes docs/configuration.md and docs/tessera.schema.json anew, from the schema of the settings, and
// docs/certificate-rules.md from the rules.
import { writeFileSync } from 'node:fs';
import { configJsonSchema } from '../../src/config/show.ts';
import { certificateRules } from './certificate-rules.ts';
import { configReference } from './reference.ts';

writeFileSync('docs/configuration.md', configReference());
writeFileSync('docs/tessera.schema.json', `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
writeFileSync('docs/certificate-rules.md', certificateRules());
console.log(
  'docs/configuration.md, docs/tessera.schema.json and docs/certificate-rules.md are written. Now: npm run format',
);
