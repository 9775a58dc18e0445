CREATE TABLE measurement (id integer PRIMARY KEY, place text NOT NULL, amount integer NOT NULL);

INSERT INTO measurement
SELECT i, 'place ' || (i % 1000), (i * 7) % 1009 FROM generate_series(1, 1000000) i;

CREATE TABLE carrier (id integer PRIMARY KEY, name text NOT NULL);

INSERT INTO carrier SELECT i, 'carrier ' || i FROM generate_series(1, 100) i;

CREATE TABLE shipment (
    id integer PRIMARY KEY,
    name text NOT NULL,
    carrier_id integer NOT NULL REFERENCES carrier (id)
);

INSERT INTO shipment SELECT i, 'shipment ' || i, 1 + i % 100 FROM generate_series(1, 200000) i;

CREATE INDEX ON shipment (carrier_id);

CREATE TABLE parcel (
    id integer PRIMARY KEY,
    shipment_id integer NOT NULL REFERENCES shipment (id),
    weight integer NOT NULL
);

INSERT INTO parcel
SELECT i, 1 + (i - 1) / 5, (i * 7) % 1009 FROM generate_series(1, 1000000) i;

CREATE INDEX ON parcel (shipment_id);

CREATE FUNCTION sleeps(seconds double precision) RETURNS integer LANGUAGE plpgsql STABLE AS $$
BEGIN
    PERFORM pg_sleep(seconds);
    RETURN 1;
END
$$;

CREATE FUNCTION computes(seconds double precision) RETURNS integer LANGUAGE plpgsql STABLE AS $$
DECLARE
    finish timestamptz := clock_timestamp() + make_interval(secs => seconds);
    rounds integer := 0;
BEGIN
    WHILE clock_timestamp() < finish LOOP
        rounds := (rounds + 1) % 1000;
    END LOOP;
    RETURN 1;
END
$$;
