// What docs/systemd.md promises beyond its commands, as scripts for the machine that the lab boots: each exits with 1 if the promise
// is broken.

const TESSERA = 'tessera --config /etc/tessera/tessera.yaml --set keyring=/etc/tessera/keyring.json';

/** Waits for a condition, at most a number of seconds. */
const UNTIL = `
  until_true() { limit=$1; shift; for try in $(seq $((limit * 5))); do eval "$@" && return 0; sleep 0.2; done; echo "not within $limit s: $*"; return 1; }
  fails() { if "$@" >/dev/null 2>&1; then echo "should have failed: $*"; exit 1; fi; }
  main_of() { systemctl show --property=MainPID --value "$1"; }
  restarts_of() { systemctl show --property=NRestarts --value "$1"; }
  folder_of_drop_ins() { mkdir -p "/run/systemd/system/$1.d"; echo "/run/systemd/system/$1.d/lab.conf"; }
`;

/** Without ExecStartPost=, only READY=1 tells systemd that the service serves. */
const READINESS = `${UNTIL}
  printf '[Service]\\nExecStartPost=\\n' > "$(folder_of_drop_ins tessera@9103.service)"
  systemctl daemon-reload
  systemctl start tessera@9103
  curl --silent --show-error --fail http://127.0.0.1:9103/readyz
  journalctl --no-pager --output=cat --unit=tessera@9103 | grep --count '"msg":"ready"'`;

/** Exit code 3: a restart does not repair a wrong configuration. */
const MISTAKE = `${UNTIL}
  printf '[Service]\\nEnvironment=TESSERA_LOG_LEVEL=loud\\n' > "$(folder_of_drop_ins tessera@9104.service)"
  systemctl daemon-reload
  fails systemctl start tessera@9104
  sleep 3
  systemctl show --property=ActiveState,ExecMainStatus,NRestarts tessera@9104
  test "$(restarts_of tessera@9104)" = 0
  systemctl reset-failed tessera@9104`;

const CREDENTIALS = `${UNTIL}
  for file in keyring.json server.key; do test "$(stat --format='%U %a' /etc/tessera/$file)" = 'root 600'; done
  fails runuser -u tessera -- cat /etc/tessera/keyring.json
  fails runuser -u nobody -- ls /run/credentials/tessera@9101.service
  fails runuser -u nobody -- ls /run/tessera-9101
  for pid in $(main_of tessera@9101) $(pgrep --parent "$(main_of tessera@9101)"); do
    fails grep --quiet --text --regexp='PRIVATE KEY' --regexp='"keys"' /proc/$pid/environ /proc/$pid/cmdline
  done
  echo 'readable by root and the service only; not in its environment'`;

/**
 * The timers themselves are due once a day. A stamp of two days ago makes them catch up (Persistent=), as after a night without power.
 * A new key is in the keyring of root: the rotation gives it to the running instance, which then mints with it.
 */
const TIMERS = `${UNTIL}
  ${TESSERA} keyring add
  fails cmp /etc/tessera/keyring.json /run/tessera-9102/keyring.json
  copies=$(ls /var/lib/tessera-backup/*.db | wc --lines)
  for name in backup rotate; do
    systemctl stop tessera-$name.timer
    printf '[Timer]\\nRandomizedDelaySec=0\\nAccuracySec=1s\\n' > "$(folder_of_drop_ins tessera-$name.timer)"
    touch --date='2 days ago' /var/lib/systemd/timers/stamp-tessera-$name.timer
  done
  systemctl daemon-reload
  systemctl start tessera-backup.timer tessera-rotate.timer
  until_true 20 'test "$(ls /var/lib/tessera-backup/*.db | wc --lines)" -gt '$copies
  until_true 20 'cmp --silent /etc/tessera/keyring.json /run/tessera-9102/keyring.json'
  for name in backup rotate; do
    until_true 20 'test "$(systemctl show --property=ActiveState --value tessera-'$name'.service)" = inactive'
    test "$(systemctl show --property=Result --value tessera-$name.service)" = success
  done
  systemctl list-timers --no-pager --all 'tessera-*' | head -3
  key=$(${TESSERA} keyring list | awk '/check-only/ { print $1 }' | tail -1)
  until_true 30 '${TESSERA} keyring mint '$key' 2>/dev/null'
  systemctl start tessera-rotate
  journalctl --no-pager --output=cat --unit=tessera@9102 | grep 'the keyring was read again' | tail -1
  ${TESSERA} keyring list`;

/** The first process of one instance hangs, and systemd restarts it; a worker of another, and its supervisor replaces it. The third is healthy. */
const WATCHDOG = `${UNTIL}
  systemctl start tessera@9101
  before=$(main_of tessera@9101)
  kill -STOP "$before"
  worker=$(pgrep --parent "$(main_of tessera@9102)" --full main.js | head -1)
  kill -STOP "$worker"
  began=$(date +%s)
  until_true 120 '! kill -0 '$worker' 2>/dev/null'
  echo "the worker was replaced $(($(date +%s) - began)) s after it hung"
  until_true 120 'test "$(restarts_of tessera@9101)" = 1 && systemctl is-active --quiet tessera@9101'
  echo "tessera@9101 was restarted $(($(date +%s) - began)) s after it hung"
  for port in 9101 9102; do
    curl --silent --show-error --fail --retry 20 --retry-delay 1 --retry-all-errors http://127.0.0.1:$port/readyz
    echo
  done
  journalctl --no-pager --output=cat --grep='Watchdog timeout' | tail -2
  test "$(restarts_of tessera@9102)" = 0
  test "$(restarts_of tessera@9103)" = 0
  test "$(main_of tessera@9101)" != "$before"
  systemctl stop tessera@9101 tessera@9103`;

export const PROMISES = {
  readiness: READINESS,
  mistake: MISTAKE,
  credentials: CREDENTIALS,
  timers: TIMERS,
  watchdog: WATCHDOG,
} as const;
