-- What statements of a file may call in this process.
SELECT f.name FROM pragma_function_list AS f
UNION SELECT m.name FROM pragma_module_list AS m
