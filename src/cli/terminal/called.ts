/** How the reader runs this program: in a checkout by npm, else as the installed command. */
export const TESSERA = import.meta.filename.endsWith('.ts') ? 'npm run tessera --' : 'tessera';

const IS_BY_NPM = ['tessera', 'start'].includes(process.env['npm_lifecycle_event'] ?? '');

/** A text whose commands can be pasted: if npm runs this, there is no command `tessera`. */
export function pasteable(text: string): string {
  return IS_BY_NPM ? text.replace(/(?<![\w./-])tessera (?=[a-z]{3}|--?[a-z])/g, `${TESSERA} `) : text;
}
