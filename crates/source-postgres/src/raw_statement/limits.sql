-- A schema is found as the first one, whatever its name is.
select set_config('search_path', quote_ident($1) || ', ' || current_setting('search_path'), false),
       set_config('statement_timeout', $2, false)
