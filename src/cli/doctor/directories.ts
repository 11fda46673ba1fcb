import type { Config } from '../../config/schema.ts';
import { openElsewhere } from '../../open-directory.ts';
import { type Finding, good, poor } from './finding.ts';

/** Looks at what can be seen of each directory. The service runs without them. */
export async function examineDirectories({ directories }: Config): Promise<Finding[]> {
  const findings = directories.map(async (configured) => {
    const { elsewhere, label } = await openElsewhere(configured);
    const steps = await Array.fromAsync(elsewhere?.examine() ?? []);
    return steps.map(({ passed, words }) =>
      passed
        ? good(`directory ${label}`, words)
        : poor(`directory ${label}`, words, `Do: tessera directory check ${label}`),
    );
  });
  return (await Promise.all(findings)).flat();
}
