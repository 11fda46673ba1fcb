// The first minute of the README, and docs/agents.md, in minimal Debian systems, with every command as it is printed.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { blocksIn, confirmPrinted, passwordIn } from '../../test/e2e/printed-checkout.ts';
import type { Suite } from './debian.ts';
import { Room, type Running } from './room.ts';
import { installLabNeeds, ROOT, run } from './shell.ts';

interface Visitor {
  readonly suite: Suite;
  readonly node: number;
  readonly user: 'root' | 'guest';
}

const EVERY: readonly Visitor[] = (['bookworm', 'trixie'] as const).flatMap((suite) =>
  [20, 22, 24, 26].flatMap((node) => (['root', 'guest'] as const).map((user) => ({ suite, node, user }))),
);
/** For each landing: the oldest Node as root, and a Node that is used as it is, as an ordinary user. */
const SHORT: readonly Visitor[] = [
  { suite: 'bookworm', node: 20, user: 'root' },
  { suite: 'trixie', node: 24, user: 'guest' },
];

const nameOf = ({ suite, node, user }: Visitor) => `${suite}-${node}-${user}`;

/** `--short`: two visitors. Names such as `trixie-20-guest`: these. `--tests`: each runs the whole `npm test`, too. */
export async function inRooms(flags: readonly string[]): Promise<void> {
  const why = whyNoRooms();
  if (why !== undefined) return console.log(`SKIPPED: no bare rooms, ${why}`);
  const named = EVERY.filter((visitor) => flags.includes(nameOf(visitor)));
  const unknown = flags.filter((flag) => !flag.startsWith('--') && !EVERY.some((visitor) => nameOf(visitor) === flag));
  if (unknown.length > 0) throw new Error(`no such room: ${unknown.join(', ')}`);
  const visitors = named.length > 0 ? named : flags.includes('--short') ? SHORT : EVERY;
  for (const visitor of visitors) await visit(visitor, flags.includes('--tests'));
  console.log(`${visitors.length} rooms passed, 0 failed`);
}

function whyNoRooms(): string | undefined {
  if (process.getuid?.() !== 0) return 'since making one needs root';
  if (!existsSync('/usr/bin/apt-get')) return 'since this is not Debian';
  installLabNeeds();
  return undefined;
}

async function visit({ suite, node, user }: Visitor, isTesting: boolean): Promise<void> {
  const began = performance.now();
  const room = new Room({ suite, node });
  console.log(`\nDebian ${suite}, Node ${node}, ${user}`);
  try {
    // Whoever has Node 26 could start it.
    if (node === 26)
      room.sh('root', 'apt-get -qq update && apt-get -qq install --yes --no-install-recommends libatomic1');
    run('git', ['clone', '--quiet', '--bare', ROOT, join(room.folder, 'repository')]);
    run('chroot', [room.folder, 'chown', '-R', `${user}:${user}`, '/repository']);
    for (const port of PORTS) await untilFree(port);
    await startWithNothing(room, user, node);
    room.sh('root', 'apt-get -qq update && apt-get -qq install --yes --no-install-recommends git curl');
    await followReadme(room, user);
    tryTests(room, user, isTesting);
  } finally {
    room.remove();
  }
  console.log(`  ${((performance.now() - began) / 1000).toFixed(0)} s in all`);
}

/** Those of the README: rooms share the network of this machine. */
const PORTS = [8443, 3000, 3001];

async function untilFree(port: number): Promise<void> {
  for (let tries = 0; !(await isFree(port)); tries++) {
    if (tries === 0) console.log(`  waiting until port ${port} is free …`);
    if (tries === 600) throw new Error(`port ${port} is taken`);
    await pause(1000);
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.close();
  return isListening;
}

/** A copy of the files, as from an archive, since the room has no git and no curl yet. */
async function startWithNothing(room: Room, user: string, node: number): Promise<void> {
  const home = user === 'root' ? '/root' : `/home/${user}`;
  run('sh', ['-ec', `mkdir unpacked && git -C ${ROOT} archive HEAD | tar x -C unpacked`], {
    cwd: join(room.folder, home),
  });
  run('chroot', [room.folder, 'chown', '-R', `${user}:${user}`, `${home}/unpacked`]);
  const running = await room.start(user, 'cd unpacked && npm start', 'THIS IS FOR TRYING');
  await running.stop();
  expect(running, /The scripts need curl, which is missing/);
  if (node < 24) expect(running, /needs libatomic\.so\.1.*apt-get install libatomic1[\s\S]*going on with Node 24/);
  room.sh('root', `rm -r ${home}/unpacked`);
  console.log(`  npm start with nothing but Node ${node} and npm: ready`);
}

async function followReadme(room: Room, user: string): Promise<void> {
  const [clone = ''] = blocksIn('README.md', '');
  const [program = ''] = blocksIn('README.md', 'js');
  const [prepareApi = '', startApi = '', callApi = ''] = blocksIn('README.md', 'sh');
  const address = '<the address of this repository>';
  if (!clone.includes(address)) throw new Error('README clones from elsewhere');
  const running = await room.start(user, clone.replace(address, '/repository'), 'THIS IS FOR TRYING');
  try {
    console.log('  git clone, npm start: ready');
    room.sh(user, `cd tessera\n${prepareApi}`);
    room.sh(user, `cat > api/api.mjs <<'EOF'\n${program}EOF`);
    const api = await room.start(user, `cd api\necho started\n${startApi}`, 'started');
    for (const name of ['token', 'verify', 'refresh', 'revoke', 'device', 'oauth', 'jwt', 'check-jwt'])
      room.sh(user, `cd tessera && data/try/${name}.sh`);
    console.log('  data/try: token, verify, refresh, revoke, device, oauth, jwt, check-jwt');
    const answer = room.sh(user, `cd tessera\n${callApi}`).trim().split('\n').at(-1);
    if (!/^for local:\{[0-9a-f-]+\}$/.test(answer ?? '')) throw new Error(`the API says: ${answer}`);
    console.log(`  the API of the README: ${answer}`);
    await api.stop();
    await followAgents(room, user, passwordIn(running.printed));
  } finally {
    await running.stop();
  }
}

async function followAgents(room: Room, user: string, password: string): Promise<void> {
  const [register = '', serve = '', install = '', work = ''] = blocksIn('docs/agents.md', 'sh');
  room.sh(user, `cd tessera\n${register}`);
  const mcp = await room.start(user, `cd orders-mcp\necho started\n${serve}`, 'started');
  room.sh(user, `cd orders-mcp\n${install}`);
  const agent = await room.start(user, `cd orders-mcp\n${work}`, 'response_type=code');
  const home = user === 'root' ? 'root' : `home/${user}`;
  await confirmPrinted(agent.printed, { checkout: join(room.folder, home, 'tessera'), password });
  for (const worker of [1, 2, 3, 4]) await agent.until(`worker ${worker} works for local:`);
  console.log('  the MCP server and the agent of docs/agents.md: four processes, one login');
  await agent.stop();
  await mcp.stop();
}

/** An ordinary user can install nothing, and learns what is missing. */
function tryTests(room: Room, user: string, isTesting: boolean): void {
  console.log(`  npm test -- test/core: ${passed(room.sh(user, 'cd tessera && npm test -- test/core'))}`);
  if (user !== 'root') {
    const command = missingAsTold(room, user);
    console.log(`  npm test, as a user who can install nothing: ${command}`);
    if (isTesting) room.sh('root', command.replace('install', 'install --yes'));
  }
  if (isTesting) console.log(`  npm test: ${passed(room.sh(user, 'cd tessera && npm test 2>&1'))}`);
}

function missingAsTold(room: Room, user: string): string {
  const printed = room.sh(user, 'cd tessera && npm test 2>&1 || true');
  const [, command] = /As root on Debian: (apt-get install .+)/.exec(printed) ?? [];
  if (command === undefined) throw new Error(`it does not say what is missing:\n${printed}`);
  return command;
}

function passed(printed: string): string {
  const [, tests, failed] = /^ℹ pass (\d+)\nℹ fail (\d+)/m.exec(printed) ?? [];
  if (failed !== '0') throw new Error(printed);
  return `${tests} passed`;
}

function expect(running: Running, pattern: RegExp): void {
  if (!pattern.test(running.printed)) throw new Error(`${pattern} is not in:\n${running.printed}`);
}
