import { declares } from '../terminal/manual.ts';
import { administers } from './administration.ts';

const FILES = `
  needs --file
  -f, --file <file>           a YAML file, or a folder of them; may be repeated
  --prune                     remove what the sections of the files do not have
`;

const TEXT = `
export                        print everything registered as YAML, without secrets
  --schema                    print the JSON Schema of such files instead, for editors
  $ tessera export > objects.yaml
  $ tessera export --schema > objects.schema.json
diff                          show field by field what \`apply\` would do; exit code 2 if there is a difference
${FILES}
  $ tessera diff -f objects.yaml
apply                         make what is registered equal to files, in one commit; removes nothing without --prune
${FILES}
  --yes                       do it without a question
  $ tessera apply -f objects.yaml
  $ tessera apply -f objects/ --prune --yes
`;

const work = () => import('./work/objects.ts');

export const commands = declares(TEXT, {
  export: administers(async () => (await work()).exportAll),
  diff: administers(async () => (await work()).diff),
  apply: administers(async () => (await work()).apply),
});
