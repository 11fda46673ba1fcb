// The documentation in this package: which pages there are, where each is served, and what it says.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { type Heading, headingOf, type LinkTo } from './markdown.ts';

/** Beside src/ in a checkout, and beside dist/ in the published package. */
const ROOT = new URL('../../../../', import.meta.url);

/** Pages by reader. A name that ends with a slash means every page of that folder. CHANGELOG.md names versions: not served. */
const GROUPS = {
  start: ['README.md', 'docs/small-print.md', 'docs/pages.md'],
  callers: [
    'docs/callers.md',
    'docs/certificates.md',
    'docs/workloads.md',
    'docs/errors.md',
    'docs/libraries.md',
    'sdk/client/README.md',
  ],
  apis: ['docs/resource-servers.md', 'sdk/verify/README.md'],
  operators: [
    'docs/operators.md',
    'docs/configuration.md',
    'docs/cli.md',
    'docs/postgresql.md',
    'docs/proxies.md',
    'docs/systemd.md',
    'docs/container.md',
    'docs/kubernetes.md',
    'docs/backups.md',
    'docs/upgrading.md',
    'docs/moving-a-fleet.md',
    'docs/scale.md',
  ],
  onCall: ['docs/troubleshooting.md', 'docs/alerting.md', 'docs/tracing.md'],
  runbooks: ['docs/runbooks/'],
  standards: [
    'docs/contract.md',
    'docs/spec-gaps.md',
    'docs/oauth.md',
    'docs/oauth-rfcs.md',
    'docs/exactly-once-refresh.md',
  ],
  inside: [
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'docs/threats.md',
    'docs/dependencies.md',
    'docs/releasing.md',
    'docs/performance.md',
    'docs/performance/',
  ],
  decisions: ['docs/decisions/'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type DocsGroup = keyof typeof GROUPS;

export interface DocsPage {
  readonly source: string;
  readonly path: string;
  readonly group: DocsGroup;
}

/** A picture or a data file that pages show or link to. */
export interface DocsFile {
  readonly source: string;
  readonly path: string;
  readonly type: string;
}

const FILE_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
};

export interface Library {
  readonly pages: readonly DocsPage[];
  readonly files: readonly DocsFile[];
}

/** Only what is there: an image may be built without the documentation. */
export function openLibrary(): Library {
  const inDocs = existsSync(new URL('docs', ROOT))
    ? readdirSync(new URL('docs', ROOT), { recursive: true, encoding: 'utf8' })
        .map((name) => `docs/${name}`)
        .sort()
    : [];
  const pages = Object.entries<readonly string[]>(GROUPS).flatMap(([group, sources]) =>
    sources
      .flatMap((source) => (source.endsWith('/') ? inDocs.filter((name) => isPageIn(name, source)) : [source]))
      .filter((source) => existsSync(new URL(source, ROOT)))
      .map((source) => ({ source, path: pathOfPage(source), group: group as DocsGroup })),
  );
  const files = inDocs.flatMap((source) => {
    const type = FILE_TYPES[posix.extname(source)];
    return type === undefined ? [] : [{ source, path: `/${source}`, type }];
  });
  return { pages, files };
}

function isPageIn(name: string, folder: string): boolean {
  return name.startsWith(folder) && name.endsWith('.md');
}

/** docs/operators.md is /docs/operators, README.md is /docs/readme, sdk/client/README.md is /docs/sdk/client. */
function pathOfPage(source: string): string {
  const name = source.replace(/^docs\//, '').replace(/\/README\.md$|\.md$/, '');
  return source.includes('/') ? `/docs/${name}` : `/docs/${name.toLowerCase()}`;
}

const texts = new Map<string, string>();

/** Read once: the files are those of the running release. */
export function textOf({ source }: Pick<DocsPage, 'source'>): string {
  const text = texts.get(source) ?? readFileSync(new URL(source, ROOT), 'utf8');
  texts.set(source, text);
  return text;
}

const titles = new Map<string, string>();

/** Found once: every page lists all of them. */
export function titleOf(page: DocsPage): string {
  const title = titles.get(page.source) ?? headingOf(textOf(page).split('\n', 1)[0] ?? '').title.replaceAll('`', '');
  titles.set(page.source, title);
  return title;
}

const files = new Map<string, Buffer>();

/** Read once, too. */
export function bytesOf({ source }: DocsFile): Buffer {
  const bytes = files.get(source) ?? readFileSync(new URL(source, ROOT));
  files.set(source, bytes);
  return bytes;
}

/** Links between pages and files of the library lead there. Other files are in the repository only. */
export function linksFrom({ source }: DocsPage, { pages, files }: Library): LinkTo {
  return (target) => {
    if (/^https?:|^#/.test(target)) return target;
    const [file = '', anchor] = target.split('#');
    const named = posix.join(posix.dirname(source), file);
    const found = [...pages, ...files].find((entry) => entry.source === named);
    return found && (anchor === undefined ? found.path : `${found.path}#${anchor}`);
  };
}

export interface Section {
  readonly page: DocsPage;
  readonly heading: Pick<Heading, 'text' | 'anchor'>;
  /** Words in bold: what a paragraph is about. */
  readonly terms: string;
  readonly text: string;
}

export function sectionsOf(page: DocsPage): Section[] {
  return textOf(page)
    .split(/^(?=#{1,6} )/m)
    .map((part) => {
      const [line = '', ...rest] = part.split('\n');
      const { title, anchor } = headingOf(line);
      const body = rest.join('\n');
      const terms = [...body.matchAll(/\*\*(.+?)\*\*/g)].map(([, term]) => term).join('\n');
      return { page, heading: { text: title.replaceAll('`', ''), anchor }, terms, text: plain(body) };
    });
}

/** Without the marks of Markdown. */
function plain(markdown: string): string {
  return markdown
    .replace(/^```.*$|^\|[-|: ]+\|$|<[^>]+>/gm, ' ')
    .replace(/^ *(?:[-*]|\d+\.) /gm, ' ')
    .replace(/\]\([^)]*\)/g, '')
    .replace(/[`*|[\]]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
