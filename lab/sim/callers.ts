// Parallel callers that share tokens and act at random.
import { accept, type Outcome } from '../../src/core/outcome.ts';
import { redeemDevice } from '../../src/operations/device/redeem-device.ts';
import { checkToken } from '../../src/operations/grant/check-token.ts';
import { refreshTokens } from '../../src/operations/grant/refresh-tokens.ts';
import { revokeByToken } from '../../src/operations/grant/revoke-grant.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import type { CallerPorts } from '../../src/operations/ports.ts';
import { sweep } from '../../src/operations/upkeep/sweep.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { CURL, confirmed, NOTHING_PRESENTED, put } from '../../test/node.ts';
import { anIdentity, CLIENT } from '../../test/samples.ts';
import { turns } from '../../test/store/faulty-back-end.ts';
import type { HeldPair, History } from './history.ts';
import type { World } from './world.ts';

const STEPS = 12;

export interface Callers {
  readonly world: World;
  readonly history: History;
  /** Device codes that Ada has confirmed. */
  readonly codes: string[];
  /** Every issued pair, newest last. */
  readonly held: HeldPair[];
}

/** Runs a few callers until all are done. */
export async function letLoose(callers: Callers): Promise<void> {
  const { world } = callers;
  const sound: CallerPorts = { ...world.node(), store: world.sound };
  for (let n = 0; n < 1 + world.chance.below(3); n++) callers.codes.push((await confirmed(sound)).deviceCode.reveal());
  for (const code of callers.codes) await redeem(callers, code);
  await Promise.all(Array.from({ length: 2 + world.chance.below(4) }, () => oneCaller(callers)));
}

type Step = (callers: Callers) => Promise<void>;

async function oneCaller(callers: Callers): Promise<void> {
  for (let n = 0; n < STEPS; n++) {
    await turns(callers.world.chance.below(3));
    await callers.world.chance.pick(STEPS_BY_ODDS)(callers);
  }
}

const STEPS_BY_ODDS: readonly Step[] = [
  ...Array<Step>(16).fill((callers) => refresh(callers, newest(callers))),
  ...Array<Step>(2).fill((callers) => refresh(callers, callers.held.at(-2))),
  (callers) => refresh(callers, callers.world.chance.pick(callers.held)),
  ...Array<Step>(9).fill((callers) => check(callers, callers.world.chance.pick(callers.held))),
  (callers) => revoke(callers, callers.world.chance.pick(callers.held)),
  ...Array<Step>(5).fill(async ({ world }) => world.clock.move(world.chance.below(5))),
  ...Array<Step>(2).fill(async ({ world }) => world.clock.move(world.chance.pick([59, 60, 61, 100, 300, 4000]))),
  (callers) => setIdentity(callers, callers.world.chance.chance(0.6)),
  ...Array<Step>(2).fill((callers) => redeem(callers, callers.world.chance.pick(callers.codes))),
  ({ world }) => sweep({ store: world.sound, settings: world.settings }, () => turns(1)).then(() => {}),
];

/** The latest pair of a random grant. */
function newest({ held, world }: Callers): HeldPair | undefined {
  const grantId = held.length > 0 ? world.chance.pick(held).grantId : undefined;
  return held.findLast((pair) => pair.grantId === grantId);
}

export async function refresh({ world, history, held }: Callers, pair: HeldPair | undefined): Promise<void> {
  if (!pair) return;
  const request = { clientId: CLIENT, refreshToken: pair.refresh, presenter: CURL, ...NOTHING_PRESENTED };
  const deed = { kind: 'refresh', presented: pair.refresh, grantId: pair.grantId } as const;
  const done = await history.record(deed, async () => heldOf(await refreshTokens(request, world.node())));
  if (done.pair && !held.some(({ access }) => access === done.pair?.access)) held.push(done.pair);
}

export async function check({ world, history }: Callers, pair: HeldPair | undefined): Promise<void> {
  if (!pair) return;
  const deed = { kind: 'check', presented: pair.access, grantId: pair.grantId } as const;
  await history.record(deed, async () => nothing(await checkToken(pair.access, world.node())));
}

async function revoke({ world, history }: Callers, pair: HeldPair | undefined): Promise<void> {
  if (!pair) return;
  const deed = { kind: 'revoke', presented: pair.access, grantId: pair.grantId } as const;
  await history.record(deed, async () => nothing(await revokeByToken(pair.access, CURL, world.node())));
}

async function redeem({ world, history, held }: Callers, deviceCode: string): Promise<void> {
  const deed = { kind: 'redeem', presented: deviceCode, grantId: undefined } as const;
  const request = { clientId: CLIENT, deviceCode, presenter: CURL, requestId: 'redeem' };
  const done = await history.record(deed, async () => heldOf(await redeemDevice(request, world.node())));
  if (done.pair) held.push(done.pair);
}

async function setIdentity({ world, history }: Callers, enabled: boolean): Promise<void> {
  const deed = { kind: enabled ? 'enable' : 'disable', presented: '', grantId: undefined } as const;
  await history.record(deed, async () => {
    await put(world.sound, identities, anIdentity({ enabled }));
    return accept(undefined);
  });
}

function heldOf(outcome: Outcome<TokenPair>): Outcome<HeldPair> {
  if (!outcome.ok) return outcome;
  const { grantId, accessToken, refreshToken, expiresAt, refreshUntil } = outcome.value;
  const refreshText = refreshToken?.reveal() ?? '';
  return accept({ grantId, access: accessToken.reveal(), refresh: refreshText, expiresAt, refreshUntil });
}

function nothing(outcome: Outcome<unknown>): Outcome<undefined> {
  return outcome.ok ? accept(undefined) : outcome;
}
