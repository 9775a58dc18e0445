-- A value that only this connection knows: after it nothing that came before is outstanding.
SELECT $1
