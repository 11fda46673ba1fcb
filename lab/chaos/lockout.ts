// Strangers fail to sign in on purpose. Nobody else may be affected, and the strangers may not gain a single guess.
import { poll, startCode, verdict } from '../../test/doors/pages/calling-device.ts';
import { PASSWORD, type RunningService, startService } from '../../test/doors/pages/running-service.ts';
import { KNOWN_COOKIE, signedIn, Visitor } from '../../test/doors/pages/visitor.ts';

/** A promise, whether it held, and its figure. */
export interface Finding {
  readonly promise: string;
  readonly held: boolean;
  readonly figure: string;
}

const SETS = ['proxies.addresses=["127.0.0.1"]', 'limits.requestsPerAddress.perMinute=1000000'];
const OFFICE = { 'x-forwarded-for': '198.51.100.7' };
const WINDOW = 900;

/** `perAddress`: how often an address may fail; the default of the service is 100. */
export async function lockoutFindings(perAddress = 100): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const scenario of [lockedName, lockedOffice, seenCode, stolenCookie]) {
    const service = await startService({ sets: [...SETS, `signIn.failedPerAddress=${perAddress}`] });
    try {
      findings.push(...(await scenario(service, perAddress)));
    } finally {
      await service.stop();
    }
  }
  return findings;
}

/** Returns how many promises were broken. */
export async function lockOut(): Promise<number> {
  const findings = await lockoutFindings();
  for (const { promise, held, figure } of findings) console.log(`${held ? 'held  ' : 'BROKEN'} ${promise}: ${figure}`);
  return findings.filter(({ held }) => !held).length;
}

/** A stranger with a new address for every try. */
function stranger(service: RunningService, n: number): Visitor {
  return new Visitor(service, { 'x-forwarded-for': `203.0.113.${n % 250}` });
}

interface Guessing {
  readonly compared: number;
  readonly seconds: number;
}

/** Guesses as often as allowed, honouring Retry-After, until `upTo` seconds have passed. */
async function guess(service: RunningService, upTo: number, guesser: (n: number) => Visitor): Promise<Guessing> {
  const begun = performance.now();
  let compared = 0;
  let waited = 0;
  // The clock of the service also moves by itself.
  const passed = () => waited + Math.round((performance.now() - begun) / 1000);
  for (let n = 0; passed() <= upTo; n++) {
    const { status, headers } = await guesser(n).signIn('ada', `guess ${n}`);
    if (status === 403 && passed() <= upTo) compared += 1; // on a slow machine, an answer may come in the next window
    const wait = Number(headers['retry-after'] ?? 0);
    if (passed() + wait > upTo) break;
    service.advance(wait);
    waited += wait;
  }
  return { compared, seconds: passed() };
}

async function lockedName(service: RunningService): Promise<Finding[]> {
  const [known, open] = [await signedIn(service), await signedIn(service)];
  await known.get('/account');
  await known.post('/account/sign-out');
  const { compared, seconds } = await guess(service, WINDOW - 1, (n) => stranger(service, n));
  const newBrowser = await new Visitor(service).signIn();
  const again = await known.signIn();
  const next = `${PASSWORD} changed`;
  await open.get('/account/password');
  const mistyped = await open.post('/account/password', { current: 'mistyped', next, repeated: next });
  const changed = await open.post('/account/password', { current: PASSWORD, next, repeated: next });
  return [
    finding('a stranger gets at most ten guesses in a window', compared <= 10, `${compared} compared`),
    finding('ten guesses cost more than a minute of waiting', seconds > 60, `${seconds} s`),
    finding(
      'then the name is locked for browsers that never signed in',
      newBrowser.status === 429,
      `${newBrowser.status}`,
    ),
    finding('its owner signs in with a browser that did before', again.status === 303, `${again.status}`),
    finding(
      'and changes the password in an open session',
      changed.status === 303,
      `${mistyped.status}, ${changed.status}`,
    ),
  ];
}

async function lockedOffice(service: RunningService, perAddress: number): Promise<Finding[]> {
  const known = new Visitor(service, OFFICE);
  await known.signIn('bob');
  await known.get('/account');
  await known.post('/account/sign-out');
  let failed = 0;
  for (let n = 0; n < 1.2 * perAddress; n++)
    failed += Number((await new Visitor(service, OFFICE).signIn(`guess ${n}`, 'x')).status === 403);
  const unknown = await new Visitor(service, OFFICE).signIn('bob');
  const again = await known.signIn('bob');
  return [
    finding(`an address fails at most ${perAddress} times`, failed <= perAddress, `${failed} failed`),
    finding('then it is locked for browsers that never signed in', unknown.status === 429, `${unknown.status}`),
    finding('a colleague at the same address signs in all the same', again.status === 303, `${again.status}`),
  ];
}

async function seenCode(service: RunningService): Promise<Finding[]> {
  const code = await startCode(service);
  for (let n = 0; n < 50; n++) await stranger(service, n).signIn(`guess ${n}`, 'x', { user_code: code.userCode });
  const before = await verdict(service, code);
  const ada = await signedIn(service);
  const path = await ada.enterCode(code.userCode);
  await ada.post(`${path}/confirm`);
  const { status } = await poll(service, code);
  const figure = `${before}, then ${status}`;
  return [finding('a code that strangers failed with 50 times is confirmed and redeemed', status === 200, figure)];
}

/** A stolen known-browser cookie gives that browser's guesses, and no more. */
async function stolenCookie(service: RunningService): Promise<Finding[]> {
  const [ada, bob] = [await signedIn(service), await signedIn(service, 'bob')];
  const thief = (of: Visitor) => (n: number) => {
    const visitor = stranger(service, n);
    visitor.cookies.set(KNOWN_COOKIE, of.cookies.get(KNOWN_COOKIE) ?? '');
    return visitor;
  };
  const stolen = await guess(service, WINDOW - 1, thief(ada));
  service.advance(WINDOW);
  const foreign = await guess(service, WINDOW - 1, thief(bob));
  return [
    finding(
      'a stolen cookie is good for ten guesses in a window',
      stolen.compared <= 10,
      `${stolen.compared} compared`,
    ),
    finding("another person's cookie spares nobody the waiting", foreign.seconds > 60, `${foreign.seconds} s`),
  ];
}

function finding(promise: string, held: boolean, figure: string): Finding {
  return { promise, held, figure };
}
