/** To people, so on stderr: stdout belongs to the program. */
export function say(text) {
  process.stderr.write(`tessera: ${text}\n`);
}

export function stop(text) {
  say(text);
  process.exit(1);
}
