CREATE INDEX meetups_members_member_id_idx ON meetups_members (member_id)
