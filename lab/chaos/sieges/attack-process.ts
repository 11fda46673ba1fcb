// Attacks a service until it is killed. Runs as its own process (NAME PORT CA) with the lowest priority: attackers have machines of their
// own. Connections that the service closes are opened again.
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { tlsOptionsOf } from '../../../test/e2e/caller.ts';
import { Attacker } from '../http2/attacker.ts';
import { ATTACKS as HTTP2_ATTACKS } from '../http2/attacks.ts';
import { FLOODS, prepareFlood } from './floods.ts';
import { RAW_ATTACKS, type RawAttack } from './raw-attacks.ts';

const TICK_MS = 100;
const OPENED_PER_TICK = 60;
const HTTP2_CONNECTIONS = 25;
/** In ten networks. */
const ADDRESSES = Array.from({ length: 50 }, (_, n) => `127.60.${n % 10}.${1 + n}`);

const [name = '', port, ca = ''] = process.argv.slice(2);
const reach = { port: Number(port), ca };
let opened = 0;

function keepOpen({ connections, opening, beat = '' }: RawAttack): void {
  const open = new Set<TLSSocket>();
  setInterval(() => {
    for (const socket of open) if (beat && !socket.connecting) socket.write(beat);
    for (let n = 0; n < OPENED_PER_TICK && open.size < connections; n++) {
      const localAddress = ADDRESSES[opened++ % ADDRESSES.length];
      const options = { ...tlsOptionsOf(reach), localAddress, ALPNProtocols: ['http/1.1'] };
      const socket: TLSSocket = connect(options as object, () => socket.write(opening));
      open.add(socket);
      socket.on('error', () => undefined).resume();
      socket.once('close', () => open.delete(socket));
    }
  }, TICK_MS);
}

async function repeat(attack: Parameters<Attacker['begin']>[0]): Promise<void> {
  const attacker = new Attacker({ reach, connections: HTTP2_CONNECTIONS, addresses: ADDRESSES });
  for (;;) {
    await attacker.begin(attack);
    opened += HTTP2_CONNECTIONS;
    while (!attacker.isOver) await pause(TICK_MS);
    attacker.end();
    await pause(TICK_MS);
  }
}

async function prepare(): Promise<() => void> {
  const [raw, http2, flood] = [RAW_ATTACKS[name], HTTP2_ATTACKS[name], FLOODS[name]];
  if (flood) return prepareFlood(flood, reach.port, () => opened++);
  if (raw) return () => keepOpen(raw);
  if (http2) return () => void repeat(http2);
  throw new Error(`no such attack: ${name}`);
}

setPriority(constants.priority.PRIORITY_LOW);
const begin = await prepare();
process.on('message', (what) => {
  if (what === 'begin') begin();
  process.send?.(opened);
});
