import { flag, needed, texts } from '../terminal/options.ts';
import { administers } from './administration.ts';

const FILES = {
  file: { ...needed(texts('<file>', 'a YAML file, or a folder of them')), short: '-f' },
  prune: flag('remove what the sections of the files do not have'),
};

const work = () => import('./work/objects.ts');

export const commands = {
  export: administers({
    about: 'print everything registered as YAML, without secrets',
    options: {
      schema: flag('print the JSON Schema of such files instead, for editors'),
      json: flag('the result as JSON'),
    },
    examples: ['tessera export > objects.yaml', 'tessera export --schema > objects.schema.json'],
    run: async (given, place) => (await work()).exportAll(given, place),
  }),
  diff: administers({
    about: 'show field by field what `apply` would do; exit code 2 if there is a difference',
    options: FILES,
    examples: ['tessera diff -f objects.yaml'],
    run: async (given, place) => (await work()).diff(given, place),
  }),
  apply: administers({
    about: 'make what is registered equal to files, in one commit; removes nothing without --prune',
    options: { ...FILES, yes: flag('do it without a question') },
    examples: ['tessera apply -f objects.yaml', 'tessera apply -f objects/ --prune --yes'],
    run: async (given, place) => (await work()).apply(given, place),
  }),
};
