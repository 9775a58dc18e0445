begin;
-- A table with pending checks cannot be altered.
set constraints all immediate;
set local standard_conforming_strings to on;
set local client_min_messages to warning;
