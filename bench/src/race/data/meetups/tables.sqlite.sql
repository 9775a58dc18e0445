CREATE TABLE members (
    id INTEGER PRIMARY KEY,
    first_name VARCHAR(128),
    last_name VARCHAR(128),
    email VARCHAR(128)
);

CREATE TABLE venues (
    id INTEGER PRIMARY KEY,
    name VARCHAR(128),
    postal_code VARCHAR(128)
);

CREATE TABLE meetups (
    id INTEGER PRIMARY KEY,
    title VARCHAR(128) NOT NULL,
    start_at TIMESTAMP,
    venue_id INTEGER REFERENCES venues (id)
);

CREATE TABLE meetups_members (
    meetup_id INTEGER REFERENCES meetups (id),
    member_id INTEGER REFERENCES members (id),
    PRIMARY KEY (meetup_id, member_id)
);

CREATE TABLE reviews (
    id INTEGER PRIMARY KEY,
    venue_id INTEGER NOT NULL REFERENCES venues (id),
    member_id INTEGER NOT NULL REFERENCES members (id),
    stars INTEGER NOT NULL,
    words VARCHAR(128)
)
