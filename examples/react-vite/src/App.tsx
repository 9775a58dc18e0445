import { useState } from "react";
import { useQuery } from "urql";
import { graphql } from "./gql";

const albums = graphql(`
  query Albums($after: Cursor) {
    allAlbums(first: 5, after: $after, orderBy: [TITLE_ASC]) {
      totalCount
      nodes { nodeId title artistByArtistId { name } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export default function App() {
  const [after, setAfter] = useState<string | null>(null);
  const [{ data, error }] = useQuery({ query: albums, variables: { after } });
  if (error) return <p role="alert">{error.message}</p>;
  const page = data?.allAlbums;
  if (!page) return <p>Loading</p>;
  const { endCursor, hasNextPage } = page.pageInfo;
  return (
    <main>
      <h1>{page.totalCount} albums</h1>
      <ul>
        {page.nodes.map((album) => album && (
          <li key={album.nodeId}>{album.title}, {album.artistByArtistId?.name}</li>
        ))}
      </ul>
      <button disabled={!hasNextPage} onClick={() => setAfter(endCursor ?? null)}>Next page</button>
    </main>
  );
}
