// Reports the test files that were left out, so that the summary counts them as skipped.
import { test } from 'node:test';

for (const { file, lacks } of JSON.parse(process.env.SKIPPED_TEST_FILES ?? '[]')) {
  test(file, { skip: `needs ${lacks.join(', ')}: not installed` });
}
