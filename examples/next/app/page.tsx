import { graphql } from "../gql";
import { request } from "../lib/request";

const albums = graphql(`
  query Albums($after: Cursor) {
    allAlbums(first: 5, after: $after, orderBy: [TITLE_ASC]) {
      nodes { nodeId title artistByArtistId { name } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

/** A server component: the page arrives with its rows. */
export default async function Page({ searchParams }: { searchParams: Promise<{ after?: string }> }) {
  const { after } = await searchParams;
  const { allAlbums: page } = await request(albums, { after: after ?? null });
  return (
    <main>
      <h1>Albums</h1>
      <ul>
        {page?.nodes.map((album) => album && (
          <li key={album.nodeId}>{`${album.title}, ${album.artistByArtistId?.name}`}</li>
        ))}
      </ul>
      {page?.pageInfo.hasNextPage && (
        <a href={`/?after=${encodeURIComponent(page.pageInfo.endCursor ?? "")}`}>Next page</a>
      )}
    </main>
  );
}
