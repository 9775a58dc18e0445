CREATE TABLE members (
    id INT PRIMARY KEY,
    first_name VARCHAR(128),
    last_name VARCHAR(128),
    email VARCHAR(128)
);

CREATE TABLE venues (
    id INT PRIMARY KEY,
    name VARCHAR(128),
    postal_code VARCHAR(128)
);

CREATE TABLE meetups (
    id INT PRIMARY KEY,
    title VARCHAR(128) NOT NULL,
    start_at TIMESTAMP,
    venue_id INT REFERENCES venues (id)
);

CREATE TABLE meetups_members (
    meetup_id INT REFERENCES meetups (id),
    member_id INT REFERENCES members (id),
    PRIMARY KEY (meetup_id, member_id)
)
