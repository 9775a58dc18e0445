CREATE TABLE person (
  id integer PRIMARY KEY,
  name text NOT NULL,
  email text NOT NULL UNIQUE
);

CREATE TABLE task (
  id integer PRIMARY KEY,
  title text NOT NULL,
  person_id integer NOT NULL REFERENCES person
);

CREATE INDEX task_person ON task (person_id);

INSERT INTO person VALUES (1, 'Ada', 'ada@example.org'), (2, 'Ben', 'ben@example.org');
INSERT INTO task VALUES (1, 'Write the schema', 1), (2, 'Choose a colour', 2);
