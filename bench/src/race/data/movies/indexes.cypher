CREATE INDEX movie_id FOR (m:Movie) ON (m.id);
CREATE INDEX person_id FOR (p:Person) ON (p.id);
CREATE INDEX movie_title FOR (m:Movie) ON (m.title);
CREATE INDEX person_name FOR (p:Person) ON (p.name);
