-- $1: the name of a channel. The statement that listens to it.
select pg_catalog.format('listen %I', $1::text)
