-- rows meetups
SELECT id AS meetup_id, title
FROM meetups
WHERE id > :id_gt
ORDER BY id
LIMIT :limit OFFSET :offset;
-- rows visits of meetups
SELECT visit.member_id, member.id, member.email
FROM meetups_members AS visit
LEFT JOIN members AS member ON member.id = visit.member_id
WHERE visit.meetup_id = :meetup_id
ORDER BY visit.member_id
LIMIT :limit;
