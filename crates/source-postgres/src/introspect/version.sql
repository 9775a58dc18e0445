-- The only statement that runs before the version is known to be new enough.
select current_setting('server_version_num')::int4
