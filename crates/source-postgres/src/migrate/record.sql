insert into thalweg.migrations (definitions, tables, statements)
values ($1, ($2::text)::jsonb, $3)
