-- The products of `products`, as far as parcels are concerned.
CREATE TABLE product (
    id INTEGER PRIMARY KEY,
    shipping_days INTEGER NOT NULL,
    shipping_fee REAL NOT NULL
);

INSERT INTO product (id, shipping_days, shipping_fee) VALUES
    (1, 9, 85.0),
    (2, 3, 7.5),
    (3, 2, 4.9),
    (4, 12, 85.0),
    (5, 2, 4.9),
    (6, 1, 1.5),
    (7, 6, 39.0),
    (8, 3, 4.9);
