select setval('thalweg.id', greatest($1, (select last_value from thalweg.id)))
