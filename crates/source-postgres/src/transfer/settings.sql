set standard_conforming_strings to on;
set client_min_messages to warning;
set timezone to 'UTC';
set synchronous_commit to off;
set maintenance_work_mem to '256MB';
