// npm run configuration: writes docs/configuration.md and docs/tessera.schema.json anew, from the schema of the settings,
// docs/certificate-rules.md and docs/errors.md from the rules and the refusals, and docs/objects.md from the schemas of what
// operators register.
import { writeFileSync } from 'node:fs';
import { configJsonSchema } from '../../src/config/show.ts';
import { certificateRules } from './certificate-rules.ts';
import { errorsPage } from './errors.ts';
import { objectReference } from './objects.ts';
import { configReference } from './reference.ts';

writeFileSync('docs/configuration.md', configReference());
writeFileSync('docs/tessera.schema.json', `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
writeFileSync('docs/certificate-rules.md', certificateRules());
writeFileSync('docs/errors.md', errorsPage());
writeFileSync('docs/objects.md', objectReference());
console.log(
  'docs/configuration.md, tessera.schema.json, certificate-rules.md, errors.md and objects.md are written. Now: npm run format',
);
