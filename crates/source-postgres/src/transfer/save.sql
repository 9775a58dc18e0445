insert into thalweg.import (state) values ($1)
