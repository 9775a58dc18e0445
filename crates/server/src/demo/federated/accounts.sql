CREATE TABLE account (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    country TEXT NOT NULL
);

INSERT INTO account (id, name, country) VALUES
    (1, 'Ada Brook', 'Ireland'),
    (2, 'Bruno Falk', 'Germany'),
    (3, 'Chiara Rossi', 'Italy'),
    (4, 'Dara Quinn', 'Ireland'),
    (5, 'Emil Strand', 'Norway'),
    (6, 'Fatima Noor', 'Morocco');
