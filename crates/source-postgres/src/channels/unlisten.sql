-- $1: the name of a channel. The statement that listens to it no longer.
select pg_catalog.format('unlisten %I', $1::text)
