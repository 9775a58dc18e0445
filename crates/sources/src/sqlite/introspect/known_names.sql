-- What statements of a file may refer to in this process.
SELECT 'collation', l.name FROM pragma_collation_list AS l
UNION ALL SELECT 'function', f.name FROM pragma_function_list AS f
UNION ALL SELECT 'function', m.name FROM pragma_module_list AS m
