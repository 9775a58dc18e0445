begin transaction isolation level repeatable read, read only
