-- rows venues
SELECT id, name, postal_code
FROM venues
WHERE id > :id_gt
ORDER BY id
LIMIT :limit OFFSET :offset;
