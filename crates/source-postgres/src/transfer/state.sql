select state from thalweg.import
