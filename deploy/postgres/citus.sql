-- Citus (docs/scale.md). As an administrator, in the database tessera of the coordinator; with your own names of hosts.
SELECT citus_set_coordinator_host('coordinator.example.org', 5432);
SELECT citus_add_node('worker-1.example.org', 5432);
SELECT citus_add_node('worker-2.example.org', 5432);
-- After roles.sql, which Citus passes on to the workers:
ALTER ROLE tessera_node SET lock_timeout = '50ms';
