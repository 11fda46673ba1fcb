import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FailureReason, TokenFailure } from '../../sdk/client/src/failure.ts';
import { endOf } from '../../src/cli/terminal/failure.ts';

/** Does not compile if the package has another reason. */
const CODES: Readonly<Record<FailureReason, number>> = {
  'login-needed': 8,
  refused: 1,
  unavailable: 9,
  storage: 1,
  usage: 2,
};

test('every failure of @tessera/client has its exit code, and is printed with its advice', (t) => {
  for (const [reason, expected] of Object.entries(CODES)) {
    const printed = t.mock.method(process.stderr, 'write', () => true);
    const code = endOf(new TokenFailure(reason as FailureReason, 'It failed', 'Do this'), false);
    printed.mock.restore();
    assert.equal(code, expected, reason);
    assert.deepEqual(
      printed.mock.calls.map(({ arguments: [line] }) => line),
      ['tessera: It failed\n', '  Do this\n'],
    );
  }
});
