import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FailureReason, TokenFailure } from '../../sdk/client/src/failure.ts';
import { EXIT } from '../../src/cli/terminal/exit.ts';
import { endOf } from '../../src/cli/terminal/failure.ts';

/** Does not compile if the package has another reason. */
const ENDS: Readonly<Record<FailureReason, keyof typeof EXIT>> = {
  'login-needed': 'login',
  refused: 'refused',
  unavailable: 'unavailable',
  storage: 'refused',
  usage: 'usage',
};

test('every failure of @tessera/client has its exit code, and is printed with its advice', (t) => {
  for (const [reason, end] of Object.entries(ENDS)) {
    const printed = t.mock.method(process.stderr, 'write', () => true);
    const code = endOf(new TokenFailure(reason as FailureReason, 'It failed', 'Do this'), false);
    printed.mock.restore();
    assert.equal(code, EXIT[end], reason);
    assert.deepEqual(
      printed.mock.calls.map(({ arguments: [line] }) => line),
      ['tessera: It failed\n', '  Do this\n'],
    );
  }
});
