-- Others may deliver events, too; while they do, claims are not released by a server that starts.
select pg_catalog.pg_advisory_lock_shared(1414289223, 2)
