import { StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { RelayEnvironmentProvider } from "react-relay";
import { Environment, Network, type FetchFunction, type GraphQLResponse } from "relay-runtime";
import App from "./App";

const url = import.meta.env.VITE_GRAPHQL_URL ?? "http://127.0.0.1:4000/graphql";

const ask: FetchFunction = async ({ text }, variables) => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query: text, variables }),
  });
  return (await response.json()) as GraphQLResponse;
};

const environment = new Environment({
  network: Network.create(ask),
  // The global id of rows.
  getDataID: (row: { nodeId?: string }) => row.nodeId,
});

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <RelayEnvironmentProvider environment={environment}>
      <Suspense fallback={<p>Loading</p>}>
        <App />
      </Suspense>
    </RelayEnvironmentProvider>
  </StrictMode>,
);
