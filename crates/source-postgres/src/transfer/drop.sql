drop table if exists thalweg.import
