// A million guessed user codes by one and by a thousand signed-in identities, clock driven:
//   npm run guesses
import { guess } from '../test/doors/pages/guessing.ts';

const CODES = 20 ** 8;

for (const identities of [1, 1000]) {
  const { evaluated, hits, mostPerCode } = await guess({ identities, guesses: 1_000_000, perSecond: 1000 });
  const odds = `2^${Math.log2(mostPerCode / CODES).toFixed(2)}`;
  console.log(
    `${identities} identities, 1,000,000 guesses: ${evaluated} compared, ${hits} hits; ` +
      `at most ${mostPerCode} per identity and code lifetime, odds ${odds} per pending code`,
  );
  if (mostPerCode / CODES > 2 ** -32) process.exitCode = 1;
}
