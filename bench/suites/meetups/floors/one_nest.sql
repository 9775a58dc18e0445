-- rows venues, meetups
SELECT venue.id AS venue_id, venue.name, venue.postal_code, meetup.id AS meetup_id, meetup.title
FROM (
  SELECT id, name, postal_code FROM venues
  WHERE id > :id_gt ORDER BY id LIMIT :limit OFFSET :offset
) AS venue
LEFT JOIN LATERAL (
  SELECT id, title FROM meetups WHERE venue_id = venue.id ORDER BY id DESC LIMIT :limit
) AS meetup ON true
ORDER BY venue.id, meetup.id DESC;
