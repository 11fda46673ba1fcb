// src, sdk and runtime use documented interfaces of Node only, and what packages export.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { codeOf, type Source, sourcesIn } from './sources.ts';

interface Private {
  readonly found: RegExp;
  /** Lines that must be found. */
  readonly planted: readonly string[];
  /** Lines that must not be. */
  readonly allowed?: readonly string[];
  /** Whether it is looked for in texts, too. */
  readonly inStrings?: boolean;
  readonly except?: readonly string[];
}

const PRIVATE: Readonly<Record<string, Private>> = {
  'an underscore property': {
    found: /\._\w|\{(?:[^{}()]*,)?\s*_\w+\s*\??[:,}]/,
    planted: [
      'socket._handle.fd',
      'const { _sharedCreds: shared } = server;',
      'read(({ a, _parent }) => a)',
      'x?._y()',
    ],
    allowed: [
      '(_request, reply) => reply',
      'const a_b = { a_b: 1 };',
      'f((_error: Error, { id }) => id)',
      'const { id: _id, ...rest } = line;',
    ],
  },
  'an underscore property by its name': {
    found: /\[\s*(['"`])_\w+\1\s*\]|Reflect\.\w+\(\s*\w+\s*,\s*(['"`])_/,
    planted: ["socket['_handle']", 'x["_y"]', "Reflect.get(server, '_sharedCreds')"],
    allowed: ["['_', '-'].includes(letter)"],
    inStrings: true,
  },
  'an inner module': {
    found: /(['"`])(?:node:ffi|(?:node:)?internal\/[\w/]*|(?:node:)?_(?:http|tls|stream)_\w+)\1|--expose[-_]internals/,
    planted: ["getBuiltinModule('node:ffi')", "import x from 'node:_http_server'", "import 'internal/util'"],
    inStrings: true,
  },
  'a binding': {
    found: /\bprocess\.(?:binding|dlopen)\b|\binternalBinding\b|\bgetOwnPropertySymbols\b/,
    planted: ["process.binding('tcp_wrap')", 'process.dlopen(module, path)', 'Object.getOwnPropertySymbols(socket)'],
  },
  'a replaced global': {
    found:
      /\b(?:Reflect\.set|Reflect\.defineProperty|Object\.defineProperty|Object\.assign)\(\s*(?:process\b(?!\.env\b)|(?:globalThis|global|console)\b)|\b(?:globalThis|global|console|Buffer|Math|Date|JSON|Promise|Object|process)\.(?!exitCode\b|title\b)\w+\s*=(?![=>])/,
    planted: [
      "Reflect.set(process, 'emitWarning', f)",
      'process.emitWarning = f;',
      'globalThis.fetch = f;',
      'Date.now = f',
    ],
    allowed: ['process.exitCode = 1;', 'if (process.pid === 1) f();', 'const { now = Date.now } = options;'],
  },
  'a replaced method': {
    found:
      /\.prototype\.\w+\s*=(?![=>])|(?<!\bthis)\.(?:push|read|write|end|emit|on|once|close|destroy|listen|send|setTimeout)\s*=(?![=>])/,
    planted: ['Socket.prototype.destroy = f;', 'stream.push = f;', 'response.end = f;'],
    allowed: ['if (a.end === b.end) f();', 'this.end = end;', 'Server.prototype.close.call(server, f);'],
  },
  'listeners of others': {
    found: /(?<!\bstdout)\.removeAllListeners\(|\.(?:rawL|l)isteners\(/,
    planted: ["server.removeAllListeners('request')", "server.listeners('connection')[0]"],
  },
  'an undocumented property': {
    found: /\.(?:onIncoming|parser)\b(?!\s*\()|\.httpAllowHalfOpen\b/,
    planted: ['socket.parser.onIncoming', 'server.httpAllowHalfOpen = true'],
  },
  'a member that a type does not have': {
    // Documented ones that the types of Node lack on what is cast: of both servers, and of a request of either version.
    found:
      /\bas unknown as \{(?! (?:closeIdleConnections\(\): void|stream: ServerHttp2Stream) \})|\bReflect\.get\(\s*\w+\s*,\s*(['"`])/,
    planted: [
      '(client as unknown as { processID?: number }).processID',
      "Reflect.get(client, 'connection')",
      'const { connection } = client as unknown as { connection: Inner };',
    ],
    allowed: [
      '(server as unknown as { closeIdleConnections(): void }).closeIdleConnections()',
      'rows as unknown as Row[]',
    ],
    inStrings: true,
  },
  'a hook that is for something else': {
    found: /(['"`])keylog\1|\bsetFlagsFromString\b/,
    planted: ["server.on('keylog', f)", "v8.setFlagsFromString('--x')"],
    inStrings: true,
  },
};

const sources = ['src', 'sdk', 'runtime'].flatMap((folder) =>
  ['.ts', '.js', '.mjs'].flatMap((ending) => sourcesIn(folder, ending)),
);

function findIn({ path, text }: Source, { found, inStrings }: Private): string[] {
  const lines = codeOf(text, { keepStrings: inStrings === true }).split('\n');
  return lines.flatMap((line, at) => (found.test(line) ? [`${path}:${at + 1}`] : []));
}

test('sources are found', () => assert.ok(sources.length > 50));

for (const [what, kind] of Object.entries(PRIVATE)) {
  test(`src, sdk and runtime do not use ${what}`, () => {
    const found = sources.filter(({ path }) => !kind.except?.includes(path)).flatMap((source) => findIn(source, kind));
    assert.deepEqual(found, []);
  });

  test(`${what} would be found`, () => {
    const isFound = (line: string) => findIn({ path: '', text: line }, kind).length > 0;
    assert.deepEqual(
      kind.planted.filter((line) => !isFound(line)),
      [],
    );
    assert.deepEqual((kind.allowed ?? []).filter(isFound), []);
  });
}

/** An interface with methods that claims what a package keeps to itself. One of data alone can be an answer's. */
function claims({ path, text }: Source): string[] {
  const code = codeOf(text, { keepStrings: false });
  const casts = [...code.matchAll(/\bas unknown as (\w+)\b/g)].map(([, name = '']) => name);
  const hasMethods = (name: string) => new RegExp(`\\binterface ${name}\\b[^}]*\\(`).test(code);
  return casts.filter(hasMethods).map((name) => `${path}: ${name}`);
}

test('src, sdk and runtime cast nothing to an interface with methods of the same file', () => {
  assert.deepEqual(sources.flatMap(claims), []);
});

test('such a cast would be found', () => {
  const text = 'interface Inner { parse(): void }\nconst inner = given as unknown as Inner;';
  assert.deepEqual(claims({ path: 'src/a.ts', text }), ['src/a.ts: Inner']);
});

/** Node keeps others within the `exports` of a package; of one that has none, any file could be loaded. */
const IMPORTED = /(?:from|import\(?|require\(|resolve\()\s*(['"])((?:@[\w.-]+\/)?[\w.-]+)\/([\w./-]+)\1/g;

function deepImports({ path, text }: Source): string[] {
  const code = codeOf(text, { keepStrings: true });
  const found = [...code.matchAll(IMPORTED)].filter(([, , name = '']) => !hasExports(name));
  const inside = /(['"`])[^'"`\n]*node_modules\/\w[^'"`\n]*\1/.test(code) && path.startsWith('src/');
  return [...found.map(([, , name, file]) => `${path}: ${name}/${file}`), ...(inside ? [`${path}: node_modules`] : [])];
}

function hasExports(name: string): boolean {
  const file = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
  return !existsSync(file) || 'exports' in (JSON.parse(readFileSync(file, 'utf8')) as object);
}

test('src, sdk and runtime load packages by what they export', () => {
  assert.deepEqual(sources.flatMap(deepImports), []);
});

test('a file inside a package would be found', () => {
  const text = "import a from 'commander/esm.mjs'; import b from 'prom-client/lib/metrics/version.js';";
  assert.deepEqual(deepImports({ path: 'src/a.ts', text }), ['src/a.ts: prom-client/lib/metrics/version.js']);
  assert.deepEqual(deepImports({ path: 'src/a.ts', text: "load('../node_modules/pg/lib/query.js')" }).length, 1);
});
