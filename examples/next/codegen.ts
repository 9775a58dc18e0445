import type { CodegenConfig } from "@graphql-codegen/cli";

const config: CodegenConfig = {
  schema: process.env.GRAPHQL_URL ?? "http://127.0.0.1:4000/graphql",
  documents: "app/**/*.tsx",
  generates: {
    "gql/": {
      preset: "client",
      config: {
        documentMode: "string",
        enumsAsTypes: true,
        scalars: { BigFloat: "string", BigInt: "string", Cursor: "string", Date: "string", Datetime: "string" },
        useTypeImports: true,
      },
    },
  },
};

export default config;
