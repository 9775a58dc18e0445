import { graphql, useFragment, useLazyLoadQuery, usePaginationFragment } from "react-relay";
import type { AppAlbumsPageQuery } from "./__generated__/AppAlbumsPageQuery.graphql";
import type { AppQuery } from "./__generated__/AppQuery.graphql";
import type { App_album$key } from "./__generated__/App_album.graphql";
import type { App_albums$key } from "./__generated__/App_albums.graphql";

export default function App() {
  const query = useLazyLoadQuery<AppQuery>(graphql`query AppQuery { ...App_albums }`, {});
  return (
    <main>
      <h1>Albums</h1>
      <Albums query={query} />
    </main>
  );
}

/** A list that grows by pages. */
function Albums({ query }: { query: App_albums$key }) {
  const { data, hasNext, loadNext } = usePaginationFragment<AppAlbumsPageQuery, App_albums$key>(
    graphql`
      fragment App_albums on Query
        @argumentDefinitions(first: { type: "Int", defaultValue: 5 }, after: { type: "Cursor" })
        @refetchable(queryName: "AppAlbumsPageQuery") {
        allAlbums(first: $first, after: $after, orderBy: [TITLE_ASC]) @connection(key: "App_allAlbums") {
          edges { node { nodeId ...App_album } }
        }
      }
    `,
    query,
  );
  return (
    <>
      <ul>
        {data.allAlbums?.edges.map(({ node }) => node && <Album key={node.nodeId} album={node} />)}
      </ul>
      <button disabled={!hasNext} onClick={() => loadNext(5)}>More</button>
    </>
  );
}

function Album({ album }: { album: App_album$key }) {
  const { title, artistByArtistId } = useFragment(
    graphql`fragment App_album on Album { title artistByArtistId { name } }`,
    album,
  );
  return <li>{title}, {artistByArtistId?.name}</li>;
}
