-- Of products and accounts nothing is known here but who they are.
CREATE TABLE product (id INTEGER PRIMARY KEY);

CREATE TABLE account (id INTEGER PRIMARY KEY);

CREATE TABLE review (
    id INTEGER PRIMARY KEY,
    product_id INTEGER NOT NULL REFERENCES product,
    author_id INTEGER NOT NULL REFERENCES account,
    stars INTEGER NOT NULL,
    text TEXT NOT NULL
);

CREATE INDEX review_product ON review (product_id);

CREATE INDEX review_author ON review (author_id);

INSERT INTO product (id) VALUES (1), (2), (3), (4), (5), (6), (7), (8);

INSERT INTO account (id) VALUES (1), (2), (3), (4), (5), (6);

INSERT INTO review (id, product_id, author_id, stars, text) VALUES
    (1, 1, 2, 5, 'Runs true, even in wind.'),
    (2, 1, 4, 4, 'Heavier than it looks.'),
    (3, 2, 1, 4, 'Does what a paddle does.'),
    (4, 3, 5, 5, 'Dry inside after an hour in the rapids.'),
    (5, 4, 3, 5, 'The best one that I ever had.'),
    (6, 4, 2, 3, 'Narrow for tall people.'),
    (7, 4, 6, 4, 'Turns on the spot.'),
    (8, 5, 1, 5, 'I float.'),
    (9, 6, 4, 2, 'The river has moved since.'),
    (10, 7, 6, 4, 'Room for five and a dog.'),
    (11, 7, 5, 5, 'Patched twice, still tight.'),
    (12, 8, 3, 4, 'Snug.');
