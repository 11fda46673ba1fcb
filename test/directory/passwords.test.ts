import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourcesIn } from '../house/sources.ts';

test('only the local directory reads and writes the passwords table', () => {
  const users = sourcesIn('src', '.ts').filter(({ text }) =>
    /import \{[^}]*\bpasswords\b[^}]*\} from '[^']*tables\//s.test(text),
  );
  const [directory, ...store] = users.map(({ path }) => path).toSorted();
  assert.equal(directory, 'src/directory/local/passwords.ts');
  assert.ok(
    store.every((path) => path.startsWith('src/store/')),
    store.join(', '),
  );
});
