-- The state of a server: its role in replication, and the end of what it has written or replayed.
-- The timeline of a standby is known from its receiver to roles that may see it, and to others from
-- the last restart point.
SELECT
    pg_is_in_recovery(),
    (CASE
        WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()
        ELSE pg_current_wal_flush_lsn()
    END - '0/0'::pg_lsn)::text,
    (pg_last_wal_receive_lsn() - '0/0'::pg_lsn)::text,
    extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8,
    (SELECT system_identifier::text FROM pg_control_system()),
    CASE
        WHEN pg_is_in_recovery() THEN coalesce(
            (SELECT received_tli::int8 FROM pg_stat_wal_receiver),
            (
                SELECT greatest(checkpoint.timeline_id, recovery.min_recovery_end_timeline)::int8
                FROM pg_control_checkpoint() AS checkpoint, pg_control_recovery() AS recovery
            )
        )
        ELSE ('x' || substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8))::bit(32)::int8
    END,
    (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::int8::text,
    current_database()::text
