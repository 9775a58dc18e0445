ANALYZE artist, album, employee, customer, genre, media_type, track, invoice, invoice_line, playlist, playlist_track;
