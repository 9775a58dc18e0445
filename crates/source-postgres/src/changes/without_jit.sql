-- As in transactions that begin by begin.sql, for single statements on the catalogs.
set jit to off
