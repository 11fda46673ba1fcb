// One line of JSON for each request and notice, as the service writes them.

export type WriteLine = (level: 'info' | 'warn' | 'error', fields: object, msg: string) => void;

/** What is not read is dropped above this: a log must not fill the memory. */
const MOST_BYTES = 4 * 2 ** 20;

/** The lines of one turn of the event loop are written at once. */
export function lineWriter(to: NodeJS.WritableStream & { readonly writableLength: number }): WriteLine {
  let waiting: string[] = [];
  let dropped = 0;
  const flush = () => {
    if (to.writableLength > MOST_BYTES) dropped += waiting.length;
    else to.write(waiting.join('') + noticeOf(dropped));
    if (to.writableLength <= MOST_BYTES) dropped = 0;
    waiting = [];
  };
  return (level, fields, msg) => {
    if (waiting.length === 0) setImmediate(flush);
    waiting.push(lineOf(level, fields, msg));
  };
}

function lineOf(level: string, fields: object, msg: string): string {
  return `${JSON.stringify({ level, time: new Date().toISOString(), ...fields, msg })}\n`;
}

function noticeOf(dropped: number): string {
  return dropped === 0 ? '' : lineOf('warn', { dropped }, 'lines of the log were dropped: nobody read it');
}
