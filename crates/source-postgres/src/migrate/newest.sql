select number, definitions, tables::text
from thalweg.migrations
order by number desc
limit 1
