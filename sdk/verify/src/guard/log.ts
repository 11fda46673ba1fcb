// One line of JSON for each request and notice, as the service writes them.

export type WriteLine = (level: 'info' | 'warn' | 'error', fields: object, msg: string) => void;

/** What is not read is dropped above this: a log must not fill the memory. */
const MOST_BYTES = 4 * 2 ** 20;
/** Lines are written together: a write for each would cost as much as the request. */
const TOGETHER_MS = 20;

export function lineWriter(to: NodeJS.WritableStream & { readonly writableLength: number }): WriteLine {
  let waiting: string[] = [];
  let dropped = 0;
  const flush = () => {
    if (to.writableLength > MOST_BYTES) dropped += waiting.length;
    else if (waiting.length > 0) to.write(waiting.join('') + noticeOf(dropped));
    if (to.writableLength <= MOST_BYTES) dropped = 0;
    waiting = [];
  };
  to.on('error', () => undefined); // if the reader of the log is gone, requests are still answered
  process.once('exit', flush);
  return (level, fields, msg) => {
    if (waiting.length === 0) setTimeout(flush, TOGETHER_MS);
    waiting.push(lineOf(level, fields, msg));
  };
}

function lineOf(level: string, fields: object, msg: string): string {
  return `${JSON.stringify({ level, time: new Date().toISOString(), ...fields, msg })}\n`;
}

function noticeOf(dropped: number): string {
  return dropped === 0 ? '' : lineOf('warn', { dropped }, 'lines of the log were dropped: nobody read it');
}
