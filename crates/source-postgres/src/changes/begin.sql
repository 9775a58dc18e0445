-- Compiling the statements to machine code would take longer than running them.
begin transaction isolation level repeatable read, read only; set local jit to off
