-- The tables that are asked for rows: the same in every size.
CREATE TABLE customer (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE,
    city TEXT,
    is_active BOOLEAN NOT NULL,
    discount DECIMAL(5, 2),
    born_on DATE,
    created_at TIMESTAMP NOT NULL
);

CREATE TABLE category (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    description TEXT
);

CREATE TABLE product (
    id INTEGER PRIMARY KEY,
    category_id INTEGER NOT NULL REFERENCES category (id),
    name TEXT NOT NULL,
    price DECIMAL(10, 2) NOT NULL,
    weight DOUBLE,
    stock BIGINT NOT NULL,
    is_listed BOOLEAN NOT NULL,
    created_at TIMESTAMP NOT NULL
);

CREATE TABLE purchase (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customer (id),
    state TEXT NOT NULL,
    note TEXT,
    total DECIMAL(12, 2) NOT NULL,
    placed_at TIMESTAMP NOT NULL
);

CREATE TABLE purchase_line (
    id INTEGER PRIMARY KEY,
    purchase_id INTEGER NOT NULL REFERENCES purchase (id),
    product_id INTEGER NOT NULL REFERENCES product (id),
    quantity INTEGER NOT NULL,
    price DECIMAL(10, 2) NOT NULL
);

CREATE INDEX product_category_index ON product (category_id);
CREATE INDEX purchase_customer_index ON purchase (customer_id);
CREATE INDEX purchase_line_purchase_index ON purchase_line (purchase_id);
CREATE INDEX purchase_line_product_index ON purchase_line (product_id);

WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 200)
INSERT INTO customer
SELECT n, 'Customer ' || n, 'customer' || n || '@example.com', 'City ' || n % 17, n % 3 > 0,
    n % 20, date('1980-01-01', n || ' days'), datetime('2024-01-01', n || ' hours')
FROM numbers;

WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10)
INSERT INTO category SELECT n, 'Category ' || n, 'Things of kind ' || n FROM numbers;

WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100)
INSERT INTO product
SELECT n, 1 + n % 10, 'Product ' || n, n + 0.99, n * 0.5, n * 3, n % 4 > 0,
    datetime('2024-01-01', n || ' minutes')
FROM numbers;

WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 600)
INSERT INTO purchase
SELECT n, 1 + n % 200, CASE n % 4 WHEN 0 THEN 'NEW' WHEN 1 THEN 'PAID' WHEN 2 THEN 'SENT'
    ELSE 'RETURNED' END, 'Note ' || n, n + 0.5, datetime('2025-01-01', n || ' minutes')
FROM numbers;

WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1800)
INSERT INTO purchase_line
SELECT n, 1 + n % 600, 1 + n % 100, 1 + n % 5, n % 100 + 0.99 FROM numbers;
