-- The products of `products`, as far as the stock is concerned.
CREATE TABLE product (
    id INTEGER PRIMARY KEY,
    units INTEGER NOT NULL,
    warehouse TEXT NOT NULL
);

INSERT INTO product (id, units, warehouse) VALUES
    (1, 3, 'North'),
    (2, 120, 'South'),
    (3, 64, 'South'),
    (4, 0, 'North'),
    (5, 31, 'South'),
    (6, 400, 'South'),
    (7, 7, 'North'),
    (8, 18, 'South');
