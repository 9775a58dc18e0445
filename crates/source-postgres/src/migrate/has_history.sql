select to_regclass('thalweg.migrations') is not null
