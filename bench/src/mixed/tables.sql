-- A hundred tables of 400 rows, each with two references to tables before it, and of different widths.
DO $$
DECLARE
  columns text;
BEGIN
  FOR number IN 0..99 LOOP
    SELECT string_agg(
      format('c%s %s', place, (ARRAY['text', 'integer', 'timestamptz', 'boolean'])[1 + place % 4]),
      ', ' ORDER BY place
    )
    INTO columns
    FROM generate_series(0, 5 + number % 20) AS place;
    EXECUTE format(
      'CREATE TABLE t%s (
        id bigint PRIMARY KEY,
        name text NOT NULL,
        first_id bigint REFERENCES t%s,
        second_id bigint REFERENCES t%s,
        %s
      )',
      to_char(number, 'FM000'),
      to_char((number * 7 + 3) % greatest(number, 1), 'FM000'),
      to_char((number * 13 + 5) % greatest(number, 1), 'FM000'),
      columns
    );
    EXECUTE format(
      'INSERT INTO t%1$s (id, name, first_id, second_id)
       SELECT id, ''row '' || id, 1 + id * 7 %% 400, 1 + id * 13 %% 400
       FROM generate_series(1, 400) AS id',
      to_char(number, 'FM000')
    );
    EXECUTE format('CREATE INDEX ON t%s (first_id)', to_char(number, 'FM000'));
    EXECUTE format('CREATE INDEX ON t%s (second_id)', to_char(number, 'FM000'));
  END LOOP;
END
$$
