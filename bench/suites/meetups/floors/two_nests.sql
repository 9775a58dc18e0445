-- rows meetups, visits
SELECT meetup.id AS meetup_id, meetup.title, visit.member_id, member.id, member.email
FROM (
  SELECT id, title FROM meetups
  WHERE id > :id_gt ORDER BY id LIMIT :limit OFFSET :offset
) AS meetup
LEFT JOIN LATERAL (
  SELECT member_id FROM meetups_members
  WHERE meetup_id = meetup.id ORDER BY member_id LIMIT :limit
) AS visit ON true
LEFT JOIN members AS member ON member.id = visit.member_id
ORDER BY meetup.id, visit.member_id;
