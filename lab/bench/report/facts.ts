import type { Fact } from '../facts.ts';

/** A Markdown table of measurements, and whether they meet their targets. */
export function factTable(title: string, facts: readonly Fact[]): string {
  const rows = facts.map(
    ({ what, measured, target = '', met }) => `| ${what} | ${measured} | ${target} | ${word(met)} |`,
  );
  return [`### ${title}`, '', '| What | Measured | Target | |', '| --- | --- | --- | --- |', ...rows, ''].join('\n');
}

function word(met: boolean | undefined): string {
  if (met === undefined) return '';
  return met ? 'met' : '**missed**';
}
