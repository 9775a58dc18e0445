delete from thalweg.import
