set standard_conforming_strings to on;
set client_min_messages to warning;
set timezone to 'UTC';
