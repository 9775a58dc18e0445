import { graphql, request } from "../graphql";

const albums = graphql(`
  query Albums($after: Cursor) {
    allAlbums(first: 5, after: $after, orderBy: [TITLE_ASC]) {
      nodes { nodeId title artistByArtistId { name } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export async function load({ url }: { url: URL }) {
  const { allAlbums } = await request(albums, { after: url.searchParams.get("after") });
  return { page: allAlbums };
}
