import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Client, Provider, cacheExchange, fetchExchange } from "urql";
import App from "./App";

const client = new Client({
  url: import.meta.env.VITE_GRAPHQL_URL ?? "http://127.0.0.1:4000/graphql",
  exchanges: [cacheExchange, fetchExchange],
  preferGetMethod: false,
});

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <Provider value={client}>
      <App />
    </Provider>
  </StrictMode>,
);
