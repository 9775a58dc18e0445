select to_regclass('thalweg.id') is not null
