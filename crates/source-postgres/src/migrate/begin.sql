begin;
set local standard_conforming_strings to on;
set local client_min_messages to warning;
