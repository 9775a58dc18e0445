set timezone to 'UTC';
set extra_float_digits to 1;
begin isolation level repeatable read read only;
