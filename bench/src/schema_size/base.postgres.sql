-- The tables that are asked for rows: the same in every size.
CREATE TYPE purchase_state AS ENUM ('NEW', 'PAID', 'SENT', 'RETURNED');

CREATE TABLE customer (
    id integer PRIMARY KEY,
    name text NOT NULL,
    email text NOT NULL UNIQUE,
    city text,
    is_active boolean NOT NULL,
    discount numeric(5, 2),
    born_on date,
    created_at timestamp NOT NULL
);

CREATE TABLE category (
    id integer PRIMARY KEY,
    name text NOT NULL,
    description text
);

CREATE TABLE product (
    id integer PRIMARY KEY,
    category_id integer NOT NULL REFERENCES category (id),
    name text NOT NULL,
    price numeric(10, 2) NOT NULL,
    weight double precision,
    stock bigint NOT NULL,
    is_listed boolean NOT NULL,
    created_at timestamp NOT NULL
);

CREATE TABLE purchase (
    id integer PRIMARY KEY,
    customer_id integer NOT NULL REFERENCES customer (id),
    state purchase_state NOT NULL,
    note text,
    total numeric(12, 2) NOT NULL,
    placed_at timestamp NOT NULL
);

CREATE TABLE purchase_line (
    id integer PRIMARY KEY,
    purchase_id integer NOT NULL REFERENCES purchase (id),
    product_id integer NOT NULL REFERENCES product (id),
    quantity integer NOT NULL,
    price numeric(10, 2) NOT NULL
);

CREATE INDEX product_category_index ON product (category_id);
CREATE INDEX purchase_customer_index ON purchase (customer_id);
CREATE INDEX purchase_line_purchase_index ON purchase_line (purchase_id);
CREATE INDEX purchase_line_product_index ON purchase_line (product_id);

COMMENT ON TABLE customer IS 'Who buys.';
COMMENT ON COLUMN customer.discount IS 'In percent of each price.';
COMMENT ON TABLE purchase IS 'What a customer has bought at one time.';

INSERT INTO customer
SELECT n, 'Customer ' || n, 'customer' || n || '@example.com', 'City ' || n % 17, n % 3 > 0,
    n % 20, date '1980-01-01' + n, timestamp '2024-01-01' + n * interval '1 hour'
FROM generate_series(1, 200) AS n;

INSERT INTO category
SELECT n, 'Category ' || n, 'Things of kind ' || n FROM generate_series(1, 10) AS n;

INSERT INTO product
SELECT n, 1 + n % 10, 'Product ' || n, n + 0.99, n * 0.5, n * 3, n % 4 > 0,
    timestamp '2024-01-01' + n * interval '1 minute'
FROM generate_series(1, 100) AS n;

INSERT INTO purchase
SELECT n, 1 + n % 200, (enum_range(NULL::purchase_state))[1 + n % 4], 'Note ' || n, n + 0.5,
    timestamp '2025-01-01' + n * interval '1 minute'
FROM generate_series(1, 600) AS n;

INSERT INTO purchase_line
SELECT n, 1 + n % 600, 1 + n % 100, 1 + n % 5, n % 100 + 0.99 FROM generate_series(1, 1800) AS n;
