/** The section of a version in the changelog. Throws if there is none, or if it is empty. */
export function notesOf(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  if (!section)
    throw new Error(`CHANGELOG.md has no section for ${version}: move the entries under [Unreleased] there`);
  const [heading = '', ...lines] = section.split('\n');
  if (!/^\[[^\]]+\] - \d{4}-\d{2}-\d{2}$/.test(heading)) throw new Error(`the heading of ${version} has no date`);
  const text = lines.join('\n').trim();
  if (!text) throw new Error(`the section of ${version} in CHANGELOG.md is empty`);
  return `${text}\n`;
}
