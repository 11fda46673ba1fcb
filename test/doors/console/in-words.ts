// A page of the console as people have it: its text, where links lead, and what controls hold.

const LINES = /^(?:p|li|tr|h1|section|table|pre)$/;
const PARTS = /^(?:h2|br|div|dt|legend|label|form|details|summary|figure)$/;
const CONTROLS = /^(?:a|input|select|option|textarea|button|details)$/;
/** What only describes a control, or is drawn anew each time. */
const LEFT_OUT =
  /^(?:class|id|for|title|rows|spellcheck|autocomplete|placeholder|method|data-\w+|aria-(?:describedby|label))$/;
/** Classes that say something. */
const SAYING = /\b(?:good|bad|deny|warning|notice|alert|wrong)\b/;
const ANEW = /<input[^>]*name="(?:form_token|revision)"[^>]*>|<search>.*?<\/search>/gs;

export function inWords(page: string, from = '<main'): string {
  return page
    .slice(page.indexOf(from), page.indexOf('</main>'))
    .replaceAll(ANEW, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<(p|ul|ol|dl|section|h3)\b[^>]*> ?<\/\1>/g, ' (empty) ')
    .replaceAll(/<(\/?)(\w+)([^>]*)>/g, (_, closes, name, rest) => tagInWords(name, rest, closes !== ''))
    .replaceAll(/(?: *;)+(?=\s*(?:\n|;|$))| ;(?= *\|)/g, '')
    .replaceAll(/ *\n[ ;\n]*/g, '\n')
    .replaceAll(/\n(?=20\d\d-\d\d-\d\d \d\d(?::\d\d)? \|)/g, ' ')
    .replaceAll(/(?<! \|)\n(?![^\n]*\|)/g, ' / ')
    .replaceAll(/ +/g, ' ')
    .trim();
}

function tagInWords(name: string, rest: string, closes: boolean): string {
  const isLink = name === 'a' || name === 'button';
  const around = LINES.test(name) ? '\n' : /^t[hd]$/.test(name) && closes ? ' | ' : PARTS.test(name) ? ' ; ' : ' ';
  if (closes) return isLink ? ']' : name === 'dt' ? ': ' : around;
  const attributes = [...rest.matchAll(/([\w-]+)(?:="([^"]*)")?/g)];
  const [said = ''] = SAYING.exec(attributes.find(([, key]) => key === 'class')?.[2] ?? '') ?? [];
  if (!CONTROLS.test(name)) return said ? `${around}{${said}} ` : around;
  const shown = attributes.filter(([, key = '']) => !LEFT_OUT.test(key));
  const held = shown.map(([, key, value]) => (key === 'href' ? value : value === undefined ? key : `${key}=${value}`));
  const text = [name === 'a' ? '' : name, ...held, said].filter(Boolean).join(' ');
  return isLink ? `[${text}: ` : ` <${text}> `;
}
