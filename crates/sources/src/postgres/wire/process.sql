-- The process of the server that answers.
SELECT pg_backend_pid()
