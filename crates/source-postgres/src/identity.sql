-- What distinguishes a database and a connection to it from others, as far as answers depend on it: the
-- cluster, the database, the user, and settings of the user, of the database and of the address. Standbys
-- have the identifier of their primary.
SELECT concat_ws(
    ' ',
    (SELECT system_identifier FROM pg_control_system()),
    quote_ident(current_database()),
    quote_ident(session_user),
    (
        SELECT string_agg(concat_ws('=', name, quote_literal(setting)), ' ' ORDER BY name)
        FROM pg_settings
        WHERE source IN ('client', 'database', 'user', 'database user', 'session')
            AND name <> 'application_name'
    )
)
