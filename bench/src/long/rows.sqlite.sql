PRAGMA synchronous = OFF;

BEGIN;

CREATE TABLE measurement (id INTEGER PRIMARY KEY, place TEXT NOT NULL, amount INTEGER NOT NULL);

INSERT INTO measurement
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
SELECT i, 'place ' || (i % 1000), (i * 7) % 1009 FROM n;

CREATE TABLE carrier (id INTEGER PRIMARY KEY, name TEXT NOT NULL);

INSERT INTO carrier
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
SELECT i, 'carrier ' || i FROM n;

CREATE TABLE shipment (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    carrier_id INTEGER NOT NULL REFERENCES carrier (id)
);

INSERT INTO shipment
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
SELECT i, 'shipment ' || i, 1 + i % 100 FROM n;

CREATE INDEX shipment_carrier ON shipment (carrier_id);

CREATE TABLE parcel (
    id INTEGER PRIMARY KEY,
    shipment_id INTEGER NOT NULL REFERENCES shipment (id),
    weight INTEGER NOT NULL
);

INSERT INTO parcel
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
SELECT i, 1 + (i - 1) / 5, (i * 7) % 1009 FROM n;

CREATE INDEX parcel_shipment ON parcel (shipment_id);

-- Written to by whoever looks whether a statement holds the file: see `look.sqlite.sql`.
CREATE TABLE look (id INTEGER PRIMARY KEY);

COMMIT;

ANALYZE;

PRAGMA wal_checkpoint(TRUNCATE);
