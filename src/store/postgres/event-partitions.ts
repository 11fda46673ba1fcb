// The event log in partitions: ranges of numbers, each for about a day, or a twentieth of a long log. Nodes make them ahead and remove old ones through
// functions of the schema's owner, since their role can change no table. Both wait only for moments for a lock.

/** `needed`: a number that must have a partition. */
export const EXTEND_EVENTS = 'SELECT tessera_extend_events($1)';

/** Returns the size of the range that was removed; 0: none was; -1: none was, and the oldest one is soon due. */
export const SWEEP_PARTITIONS = 'SELECT tessera_sweep_events($1)';

const LEAST = 10_000_000;
const DAY = 86_400;
/** In days of events. Releases that make none can run for this long. */
const AHEAD = 8;
/** A query locks every partition that it may need, so there are few: of a log that grows evenly, about this many. */
const MOST = 20;

const AS_OWNER = 'LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = 25';

function onlyFor(privilege: string): string {
  return `IF NOT has_table_privilege(session_user, 'events', '${privilege}') THEN
      RAISE insufficient_privilege USING MESSAGE = 'this needs ${privilege} on events';
    END IF;`;
}

/** How many events a day has, by the last million. */
const EVENTS_A_DAY = `
  CREATE OR REPLACE FUNCTION tessera_events_a_day() RETURNS bigint LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT greatest(${LEAST}, (SELECT ${DAY} * (newest.sequence - first.sequence) / greatest(newest.at - first.at, 60)
      FROM (SELECT sequence, at FROM events ORDER BY sequence DESC LIMIT 1) newest,
        (SELECT sequence, at FROM events WHERE sequence > (SELECT last_value - 1000000 FROM event_sequence)
          ORDER BY sequence LIMIT 1) first))
  $$`;

/** By their upper bounds, which they do not include. */
const EVENT_PARTITIONS = `
  CREATE OR REPLACE FUNCTION tessera_event_partitions() RETURNS TABLE (name name, lower bigint, upper bigint)
  LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
    SELECT relname, coalesce(substring(bounds FROM 'FROM \\(''(\\d+)''\\)')::bigint, 0),
      substring(bounds FROM 'TO \\(''(\\d+)''\\)')::bigint AS upper
    FROM pg_inherits JOIN pg_class ON oid = inhrelid, pg_get_expr(relpartbound, oid) AS bounds
    WHERE inhparent = 'events'::regclass AND NOT inhdetachpending ORDER BY upper
  $$`;

const EXTEND = `
  CREATE OR REPLACE FUNCTION tessera_extend_events(needed bigint) RETURNS void ${AS_OWNER} AS $$
  DECLARE
    a_day bigint := tessera_events_a_day();
    size bigint;
    wanted bigint;
    reached bigint;
    next bigint;
  BEGIN
    ${onlyFor('INSERT')}
    SELECT greatest(last_value, needed) INTO needed FROM event_sequence;
    wanted := needed + ${AHEAD} * a_day;
    PERFORM FROM tessera_event_partitions() WHERE upper >= wanted;
    IF FOUND THEN RETURN; END IF;
    PERFORM pg_advisory_xact_lock(8313, 2); -- one session at a time
    SELECT max(upper), greatest(a_day, (needed - min(lower)) / ${MOST}) INTO reached, size FROM tessera_event_partitions();
    WHILE reached < wanted LOOP
      next := greatest(reached, CASE WHEN needed > reached + size THEN needed END) + size;
      EXECUTE format('CREATE TABLE events_%s (LIKE events INCLUDING ALL)', reached);
      EXECUTE format('ALTER TABLE events ATTACH PARTITION events_%s FOR VALUES FROM (%s) TO (%s)', reached, reached, next);
      reached := next;
    END LOOP;
  END $$`;

/** A removed partition is first detached, which needs a lock on the log, and dropped by the next call. */
const SWEEP = `
  CREATE OR REPLACE FUNCTION tessera_sweep_events(before bigint) RETURNS bigint ${AS_OWNER} AS $$
  DECLARE
    detached name;
    part record;
    times record;
    query text := 'SELECT (SELECT at FROM %1$I ORDER BY sequence LIMIT 1) AS oldest,
      (SELECT max(at) FROM (SELECT at FROM %1$I ORDER BY sequence DESC LIMIT 1000) newest) AS newest';
  BEGIN
    ${onlyFor('DELETE')}
    FOR detached IN SELECT relname FROM pg_class WHERE relname ~ '^events_\\d+_removed$' AND relkind = 'r'
      AND relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'events'::regclass)
    LOOP
      EXECUTE format('DROP TABLE %I', detached);
    END LOOP;
    SELECT p.* INTO part FROM tessera_event_partitions() p, event_sequence WHERE upper <= last_value ORDER BY upper LIMIT 1;
    IF part.name IS NULL THEN RETURN 0; END IF; -- the oldest one is in use
    EXECUTE format(query, part.name) INTO times;
    IF times.newest >= before THEN
      RETURN CASE WHEN times.newest - times.oldest <= greatest(${DAY}, (extract(epoch FROM now()) - before) * 2 / ${MOST})
        THEN -1 ELSE 0 END;
    END IF;
    LOCK TABLE ONLY events IN ACCESS EXCLUSIVE MODE; -- from here on nobody writes with a number of that range
    EXECUTE format(query, part.name) INTO times;
    IF times.newest >= before THEN RETURN 0; END IF;
    EXECUTE format('ALTER TABLE events DETACH PARTITION %I', part.name);
    EXECUTE format('ALTER TABLE %I RENAME TO events_%s_removed', part.name, part.lower);
    RETURN part.upper - part.lower;
  END $$`;

/** Whatever the default privileges are. */
const CALLABLE = 'GRANT EXECUTE ON FUNCTION tessera_extend_events(bigint), tessera_sweep_events(bigint) TO PUBLIC';

/** The first ends where a new log needs the second. */
export const FIRST_PARTITION = `CREATE TABLE events_0 PARTITION OF events FOR VALUES FROM (MINVALUE) TO (${LEAST + 1})`;

export const EVENT_FUNCTIONS: string = [EVENTS_A_DAY, EVENT_PARTITIONS, EXTEND, SWEEP, CALLABLE].join(';');
