// npm run configuration: writes docs/configuration.md and docs/tessera.schema.json anew, from the schema of the settings,
// docs/certificate-rules.md and docs/errors.md from the rules and the refusals, docs/objects.md from the schemas of what operators
// register, and the limits in docs/proxies.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { configJsonSchema } from '../../src/config/show.ts';
import { certificateRules } from './certificate-rules.ts';
import { errorsPage } from './errors.ts';
import { withLimits } from './limits.ts';
import { objectReference } from './objects.ts';
import { configReference } from './reference.ts';

writeFileSync('docs/configuration.md', configReference());
writeFileSync('docs/tessera.schema.json', `${JSON.stringify(configJsonSchema(), undefined, 2)}\n`);
writeFileSync('docs/certificate-rules.md', certificateRules());
writeFileSync('docs/errors.md', errorsPage());
writeFileSync('docs/objects.md', objectReference());
writeFileSync('docs/proxies.md', withLimits(readFileSync('docs/proxies.md', 'utf8')));
console.log(
  'docs/configuration.md, tessera.schema.json, certificate-rules.md, errors.md, objects.md and proxies.md are written. Now: npm run format',
);
