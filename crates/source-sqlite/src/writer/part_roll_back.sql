-- The part goes on, with nothing in it.
ROLLBACK TO part
