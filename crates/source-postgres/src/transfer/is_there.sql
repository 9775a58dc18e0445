select to_regclass('thalweg.import') is not null
