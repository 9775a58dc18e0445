-- rows venues
SELECT id AS venue_id, name, postal_code
FROM venues
WHERE id > :id_gt
ORDER BY id
LIMIT :limit OFFSET :offset;
-- rows meetups of venues
SELECT id AS meetup_id, title FROM meetups WHERE venue_id = :venue_id ORDER BY id DESC LIMIT :limit;
