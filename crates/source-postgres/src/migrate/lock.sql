-- Only one program migrates at a time; the others wait. The number is 'thalweg' in ASCII.
select pg_advisory_xact_lock(32765864939316583)
