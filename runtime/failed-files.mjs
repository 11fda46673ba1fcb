// A reporter for Node's test runner: the file of each failed test, one a line.
// biome-ignore lint/style/noDefaultExport: Node loads a reporter by its default export
export default async function* failedFiles(events) {
  for await (const { type, data } of events) if (type === 'test:fail' && data.file) yield `${data.file}\n`;
}
