/** How the reader runs this program: in a checkout by npm, else as the installed command. */
export const TESSERA = import.meta.filename.endsWith('.ts') ? 'npm run tessera --' : 'tessera';
