CREATE CONSTRAINT movie_id FOR (m:Movie) REQUIRE m.id IS UNIQUE;
CREATE CONSTRAINT person_id FOR (p:Person) REQUIRE p.id IS UNIQUE;
CREATE INDEX movie_title FOR (m:Movie) ON (m.title);
CREATE INDEX person_name FOR (p:Person) ON (p.name);
