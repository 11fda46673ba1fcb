// Sends the same requests to the authsvc door of this checkout and of another one, and compares the answers byte by byte. Only
// what differs from run to run is masked: tokens (by kind and length), times, codes and ids.
import { parseArgs } from 'node:util';
import { bodySteps, type Step } from './authsvc-steps.ts';
import { type Checkout, startCheckout } from './checkout.ts';

/** `without-header`: one that the other checkout did not have yet, to see what else differs. */
const OPTIONS = { against: { type: 'string' }, 'without-header': { type: 'string' } } as const;

/** Exit code: 0 if every answer is the same. */
export async function runAuthsvc(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const { against: folder, 'without-header': header } = values;
  if (!folder) throw new Error('usage: npm run conformance -- authsvc --against FOLDER [--without-header NAME]');
  const theirs = await startCheckout(folder);
  const ours = await startCheckout(process.cwd(), theirs);
  try {
    return await compare(ours, theirs, header);
  } finally {
    await ours.stop();
    await theirs.stop();
  }
}

async function compare(ours: Checkout, theirs: Checkout, header?: string): Promise<number> {
  const steps = bodySteps();
  const strip = (answer: string) => (header ? answer.replace(new RegExp(`^${header}: .*\r\n`, 'im'), '') : answer);
  const [our, their] = (await Promise.all([answersOf(ours, steps), answersOf(theirs, steps)])).map((all) =>
    all.map(strip),
  ) as [string[], string[]];
  const different = steps.filter((_, at) => our[at] !== their[at]);
  for (const step of different) {
    const at = steps.indexOf(step);
    console.log(`DIFFERENT  ${step.name}\n--- there\n${their[at]}\n--- here\n${our[at]}\n`);
  }
  const statuses = Object.entries(Object.groupBy(our, (answer) => answer.slice(9, 12)));
  console.log(
    `${steps.length} requests, ${statuses.map(([status, all = []]) => `${all.length} × ${status}`).join(', ')}`,
  );
  console.log(different.length === 0 ? 'every answer is the same' : `${different.length} ANSWERS DIFFER`);
  return different.length === 0 ? 0 : 1;
}

async function answersOf(checkout: Checkout, steps: readonly Step[]): Promise<string[]> {
  const seen: Record<string, string> = {};
  const answers: string[] = [];
  for (const step of steps) {
    const answer = await checkout.send(step.request(seen), step.withCertificate ?? false);
    Object.assign(seen, step.remember?.(answer));
    answers.push(masked(answer));
  }
  return answers;
}

const MASKS: readonly (readonly [RegExp, string | ((text: string) => string)])[] = [
  [/^date: .*\r\n/gim, ''],
  [/ts[a-z]_[\w=-]+/g, (token) => `${token.slice(0, 4)}(${token.length})`],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, '(time)'],
  [/\b1[789]\d{8}(\d{3})?\b/g, '(time)'],
  [/\b[A-Z]{4}-[A-Z]{4}\b/g, '(user code)'],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, '(id)'],
  [/Request [\w-]{6,}/g, '(request)'],
];

function masked(answer: string): string {
  return MASKS.reduce((text, [what, by]) => text.replace(what, by as string), answer);
}
