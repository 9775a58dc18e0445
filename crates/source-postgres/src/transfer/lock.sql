-- Only one program migrates or imports at a time. The number is that of migrations.
select pg_advisory_lock(32765864939316583);
