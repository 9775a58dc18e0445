"""Prints two pages of albums, by the client that ariadne-codegen has generated."""

import os

from shop import Client

url = os.environ.get("GRAPHQL_URL", "http://127.0.0.1:4000/graphql")
after = None
with Client(url) as client:
    for _ in range(2):
        page = client.albums(after=after).all_albums
        assert page is not None
        for album in page.nodes:
            if album is not None and album.artist_by_artist_id is not None:
                print(f"{album.title}, {album.artist_by_artist_id.name}")
        after = page.page_info.end_cursor
