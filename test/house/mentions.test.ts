// Every file, command, setting, path and metric that a page names must exist.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import type { Command } from 'commander';
import { buildProgram } from '../../src/cli/program.ts';
import { loadConfig } from '../../src/config/load.ts';
import { CONFIG_SCHEMA } from '../../src/config/schema.ts';
import { OWNED_SEGMENTS } from '../../src/doors/doors.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { anchorsOf, blocksOf, commandLinesOf, linksOf, type Mention, spansOf } from './mentions.ts';
import { ROOT, read, type Source, sourcesIn } from './sources.ts';

const PAGES: readonly Source[] = [
  ...globSync('*.md', { cwd: ROOT }).map((path) => ({ path, text: read(path) })),
  ...sourcesIn('docs', '.md'),
  ...sourcesIn('sdk', 'README.md'),
];
const CODE = ['src', 'lab', 'runtime', 'test', 'deploy', 'sdk', 'examples']
  .flatMap((folder) => sourcesIn(folder, ''))
  .filter(({ path }) => !path.endsWith('.md'));
const WORDS = new Set(
  CODE.filter(({ path }) => !path.includes('/mentions')).flatMap(({ text }) => text.match(/[\w-]+/g) ?? []),
);
const SPANS = PAGES.flatMap(spansOf);
const COMMAND_LINES = PAGES.flatMap(commandLinesOf);

function shown(mentions: readonly Mention[]): string[] {
  return [...new Set(mentions.map(({ page, text }) => `${page}: ${text}`))];
}

/** Fails with the mentions that do not pass. `atLeast`: so many are looked at, or the search is broken. */
function assertEach(mentions: readonly Mention[], atLeast: number, exists: (text: string) => boolean): void {
  assert.ok(mentions.length >= atLeast, `only ${mentions.length} mentions were found`);
  assert.deepEqual(shown(mentions.filter(({ text }) => !exists(text))), []);
}

suite('files', () => {
  // Made by a build or by the service, so a checkout lacks them.
  const MADE_LATER = /^(data|dist|node_modules|tessera)\//;
  const FOLDERS = [
    ...new Set(
      CODE.flatMap(({ path }) =>
        path
          .split('/')
          .slice(0, -1)
          .map((_, at, all) => `${all.slice(0, at + 1).join('/')}/`),
      ),
    ),
  ];

  function existsSomewhere(name: string): boolean {
    if (existsSync(join(ROOT, name)) || globSync(name, { cwd: ROOT }).length > 0) return true;
    return [...CODE.map(({ path }) => path), ...FOLDERS].some((path) => path.endsWith(`/${name}`));
  }

  test('every file and folder in a code span exists', () => {
    const isFile =
      /^(?:(?:\.ci|\.github|src|test|lab|docs|deploy|runtime)\/[\w./*-]*|[\w./-]+\.(?:ts|mjs|md)|[\w.-]+(?:\/[\w.-]+)*\/)$/;
    const named = SPANS.filter(({ text }) => isFile.test(text) && !MADE_LATER.test(text));
    assertEach(named, 200, existsSomewhere);
  });

  test('every link leads to a file, and to a heading of it', () => {
    assertEach(PAGES.flatMap(linksOf), 80, (target) => {
      const [path = '', anchor] = target.split('#');
      return existsSync(join(ROOT, path)) && (!anchor || anchorsOf(read(path)).has(anchor));
    });
  });

  // test/house/map.test.ts checks the names in the map of ARCHITECTURE.md.
  test('what a page says is in a file is in that file', () => {
    const pairs = PAGES.flatMap(({ path, text }) =>
      [
        ...text.matchAll(/`([\w./-]+\.ts)`(?: beside it)?: ((?:`#?\w+`(?:, | → )?)+)|`(\w+)` in\s+`([\w./-]+\.ts)`/g),
      ].flatMap(([, file, names = '', name, home]) =>
        [...(file ? names.matchAll(/\w+/g) : [[name as string]])].map(([word]) => ({
          page: path,
          text: `${file ?? home} ${word}`,
        })),
      ),
    );
    assertEach(pairs, 2, (pair) => {
      const [file = '', word = ''] = pair.split(' ');
      const homes = CODE.filter(({ path }) => path === file || path.endsWith(`/${file}`));
      return homes.some(({ text }) => new RegExp(`\\b${word}\\b`).test(text));
    });
  });

  test('every name in camel case or capitals is in the code', () => {
    // Words of Node, TypeScript, ASN.1, pino, Envoy and Dex.
    const foreign =
      /^(?:randomUUID|erasableSyntaxOnly|cRLIssuer|anyExtendedKeyUsage|flushSync|reuseInterval|[A-Z]+_FORWARD(?:_ONLY)?|SANITIZE_SET)$/;
    const named = SPANS.filter(({ text }) => /^(?:[a-z]+[A-Z]\w*|[A-Z]+_[A-Z_]+)$/.test(text) && !foreign.test(text));
    assertEach(named, 40, (name) => WORDS.has(name) || SETTING_VARIABLES.has(name));
  });
});

suite('commands', () => {
  const program = buildProgram();
  const flagsOf = (command: Command) => command.options.flatMap(({ long, short }) => [long, short]);
  const find = (command: Command, name: string) => command.commands.find((child) => child.name() === name);

  /** A group without an action of its own: the next word must name one of its commands. */
  const isGroup = ({ commands, registeredArguments }: Command) =>
    commands.length > 0 && registeredArguments.length === 0;

  /** Whether the words are a command with flags that it has. Arguments are not looked at. */
  function isCommand(line: string): boolean {
    const words = line
      .replaceAll(/'[^']*'/g, 'quoted')
      .replace(/ -- .*/, '') // what `tessera exec` runs
      .split(' ')
      .filter(Boolean);
    let command: Command = program;
    const known = [...flagsOf(program), '--help', '-h'];
    for (const [at, word] of words.entries()) {
      const child = command.commands.length > 0 && !word.startsWith('-') ? find(command, word) : undefined;
      const isValue = at > 0 && /^(?:--set|--config|-c)$/.test(words[at - 1] ?? '');
      if (child) command = child;
      else if (word.startsWith('-') && word !== '-' && ![...known, ...flagsOf(command)].includes(word.split('=')[0]))
        return false;
      else if (isGroup(command) && !word.startsWith('-') && !isValue && word !== '…') return false;
    }
    return true;
  }

  test('every command line of tessera names a command and its flags', () => {
    const prefix = /^(?:npm run tessera -- |tessera )/;
    const called = COMMAND_LINES.filter(({ text }) => prefix.test(text));
    const short = SPANS.filter(
      ({ text }) => /^[a-z-]+ (?:[a-z-]+ )?--?[a-z]/.test(text) && find(program, text.split(' ')[0] ?? ''),
    );
    assertEach([...called, ...short], 100, (line) => isCommand(line.replace(prefix, '')));
  });

  test('a command or a flag that does not exist is found', () => {
    for (const line of ['grant count', 'grant list --endless 3d', 'sevre', 'serve --fast'])
      assert.equal(isCommand(line), false, line);
    for (const line of ['grant list --ending 30d', '--set a=b serve', 'events --after 3 --json'])
      assert.ok(isCommand(line), line);
  });

  test('every flag in a code span of its own exists', () => {
    const ofOthers = ['--cert', '--key', '--use-largepages'];
    const named = SPANS.filter(({ text }) => /^--[a-z-]+(?:[ =]|$)/.test(text));
    assertEach(named, 20, (text) => {
      const [flag = ''] = text.split(/[ =]/);
      return (
        ofOthers.includes(flag) || CODE.some((source) => source.text.includes(flag) && !source.path.startsWith('test/'))
      );
    });
  });

  test('every npm script exists, and so does what it is asked to run', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const menus: Record<string, string> = {
      chaos: 'lab/chaos.ts',
      conformance: 'lab/conformance/main.ts',
      figures: 'lab/figures.ts',
      fuzz: 'lab/fuzz.ts',
      lab: 'lab/deploy.ts',
    };
    const called = COMMAND_LINES.filter(({ text }) => /^npm (?:run [a-z]|test|start)/.test(text));
    assertEach(called, 40, (line) => {
      const [, script = '', name] = /^npm (?:run )?([\w-]+)(?: -- ([a-z][\w-]*)(?= |$))?/.exec(line) ?? [];
      const menu = menus[script];
      return script in scripts && (!menu || !name || new RegExp(`^ +'?${name}'?:? `, 'm').test(read(menu)));
    });
  });
});

suite('drills', () => {
  /** The names in a list such as: drills `a`, `b` and `c`. */
  const drillsOf = ({ path, text }: Source): Mention[] =>
    [
      ...text.matchAll(/(?:drills? |`npm run chaos -- )((?:`?[a-z][\w-]*`(?:, | and |,\n|\nand |(?=[\s;.:|)])))+)/g),
    ].flatMap(([, list = '']) => [...list.matchAll(/([\w-]+)`/g)].map(([, name = '']) => ({ page: path, text: name })));

  test('every drill that a page names exists, also in a list', () => {
    const menu = read('lab/chaos.ts');
    assertEach(PAGES.flatMap(drillsOf), 25, (name) => new RegExp(`^ +'?${name}'?: \\[`, 'm').test(menu));
  });
});

suite('code blocks', () => {
  const ofLanguage = (language: string) => PAGES.flatMap(blocksOf).filter((block) => block.language === language);

  test('every block of shell commands can be parsed by a shell', () => {
    const blocks = ofLanguage('sh');
    assert.ok(blocks.length > 15);
    const broken = blocks.filter(({ text }) => spawnSync('sh', ['-n'], { input: text }).status !== 0);
    assert.deepEqual(
      broken.map(({ page, text }) => `${page}: ${text}`),
      [],
    );
  });

  test('every block of JSON is JSON, apart from omissions', () => {
    const blocks = ofLanguage('json').filter(({ text }) => !text.includes('…'));
    assert.ok(blocks.length > 0);
    for (const { page, text } of blocks) assert.doesNotThrow(() => JSON.parse(text), page);
  });

  test('every address outside this project is https, and complete', () => {
    const addresses = PAGES.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((\w+:[^)\s]*)\)/g)].map(([, target = '']) => ({ page: path, text: target })),
    );
    assertEach(addresses, 25, (target) => /^https:$/.test(URL.parse(target)?.protocol ?? ''));
  });

  test('every script of the quick start that a page names is one that it writes', () => {
    const flows = read('src/cli/quickstart/flows.ts');
    const named = PAGES.flatMap(({ path, text }) =>
      [...text.matchAll(/data\/try\/([\w-]+)\.sh/g)].map(([, name = '']) => ({ page: path, text: name })),
    );
    assertEach(named, 2, (name) => flows.includes(`name: '${name}'`));
  });
});

type Node = { readonly properties?: Record<string, Node>; readonly items?: Node };

function settingPathsOf(node: Node, path: string): string[] {
  if (node.items) return [path, ...settingPathsOf(node.items, `${path}.[]`)];
  const below = Object.entries(node.properties ?? {}).flatMap(([key, child]) =>
    settingPathsOf(child, path ? `${path}.${key}` : key),
  );
  return [path, ...below];
}

const SETTINGS = new Set(settingPathsOf(CONFIG_SCHEMA as Node, ''));
const TOP = (CONFIG_SCHEMA as Node).properties ?? {};
const SECTIONS = Object.keys(TOP).filter((key) => TOP[key]?.properties || TOP[key]?.items);
const SETTING_VARIABLES = new Set(
  [...SETTINGS].map(
    (path) =>
      `TESSERA_${path
        .replaceAll('.', '_')
        .replaceAll(/([A-Z])/g, '_$1')
        .toUpperCase()}`,
  ),
);

suite('settings', () => {
  const folder = temporaryFolder('documented');
  after(() => rmSync(folder, { recursive: true }));

  test('every setting that a code span names exists', () => {
    const named = SPANS.map(({ page, text }) => ({
      page,
      text: text.replace(/^--set /, '').replace(/(?:=|: ).*$/, ''),
    }));
    const dotted = named.filter(
      ({ text }) =>
        /^[a-zA-Z]+(?:\.(?:[a-zA-Z]+|\d+|\[\]))+$/.test(text) && SECTIONS.includes(text.split('.')[0] ?? ''),
    );
    assertEach(
      dotted.filter(({ text }) => !/\.(?:ts|yaml|json|md)$/.test(text)),
      40,
      (name) => SETTINGS.has(name.replaceAll(/\.\d+/g, '.[]')),
    );
  });

  test('every variable of the environment that a page names is read', () => {
    const named = PAGES.flatMap(({ path, text }) =>
      (text.match(/\bTESSERA_[A-Z_]+\b/g) ?? []).map((name) => ({ page: path, text: name })),
    );
    assertEach(named, 12, (name) => SETTING_VARIABLES.has(name) || WORDS.has(name));
  });

  const configurations = PAGES.flatMap(blocksOf).filter(
    ({ language, text }) => language === 'yaml' && Object.hasOwn(TOP, /^(\w+):/m.exec(text)?.[1] ?? ''),
  );
  test('configurations are found', () => assert.ok(configurations.length >= 2));
  for (const [at, { page, text }] of configurations.entries()) {
    test(`configuration ${at + 1} is valid: ${page}`, () => {
      const file = join(folder, `${at}.yaml`);
      writeFileSync(file, text);
      assert.doesNotThrow(() => loadConfig({ file, env: {} }));
    });
  }
});

suite('over the network', () => {
  test('every path that a code span names is served', () => {
    const named = SPANS.filter(({ text }) => /^(?:(?:GET|POST) )?\/[a-z]+(?:\/\w+)*$/.test(text));
    const ofFiles = /^\/(?:etc|var|usr|opt|run|srv|tmp|dev|backup|proc)\b/;
    const served = [...OWNED_SEGMENTS, 'authsvc'];
    assertEach(
      named.filter(({ text }) => !ofFiles.test(text)),
      20,
      (path) => served.includes(path.replace(/^\w+ /, '').split('/')[1] ?? ''),
    );
  });

  test('every operation that a page names exists', () => {
    const operations = /\b(?:Authorize|Revoke)\/[A-Z]\w+/g;
    const known = new Set(sourcesIn('src/doors/authsvc', '.ts').flatMap(({ text }) => text.match(operations) ?? []));
    const named = PAGES.flatMap(({ path, text }) =>
      (text.match(operations) ?? []).map((name) => ({ page: path, text: name })),
    );
    assertEach(named, 40, (name) => known.has(name));
  });

  test('every metric that a page names is exported', () => {
    const named = SPANS.flatMap(({ page, text }) =>
      (text.match(/\btessera_[a-z]+_[a-z_]+/g) ?? []).map((name) => ({ page, text: name })),
    );
    const metrics = sourcesIn('src/doors/ops', '.ts')
      .map(({ text }) => text)
      .join('');
    assertEach(named, 10, (name) => metrics.includes(`'${name.replace(/_(?:bucket|count|sum)$/, '')}'`));
  });
});
