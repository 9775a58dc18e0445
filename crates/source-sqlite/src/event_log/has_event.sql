SELECT EXISTS (SELECT 1 FROM thalweg_event_log WHERE id = ?1)
