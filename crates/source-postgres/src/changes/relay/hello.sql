-- $1: the message of a follower to the leader.
select pg_catalog.pg_notify('thalweg_live_1_hello', $1)
