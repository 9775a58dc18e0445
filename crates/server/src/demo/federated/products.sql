CREATE TABLE product (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    category TEXT NOT NULL,
    price REAL NOT NULL
);

INSERT INTO product (id, name, category, price) VALUES
    (1, 'Canoe', 'boats', 890.0),
    (2, 'Paddle', 'gear', 45.5),
    (3, 'Dry bag', 'gear', 24.9),
    (4, 'Kayak', 'boats', 1150.0),
    (5, 'Life vest', 'gear', 79.0),
    (6, 'River map', 'books', 12.0),
    (7, 'Raft', 'boats', 640.0),
    (8, 'Spray deck', 'gear', 99.5);
