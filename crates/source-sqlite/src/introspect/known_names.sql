-- What statements of a file may call in this process. Modules that are tables and functions are listed once
-- they were used: those of JSON are in each library.
SELECT f.name FROM pragma_function_list AS f
UNION SELECT m.name FROM pragma_module_list AS m
UNION SELECT 'json_each'
UNION SELECT 'json_tree'
