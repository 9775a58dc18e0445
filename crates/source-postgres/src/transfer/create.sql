-- Progress of an import that is not finished.
create table if not exists thalweg.import (state text not null)
