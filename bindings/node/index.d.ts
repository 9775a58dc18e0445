/// <reference types="node" />

/** The database, and how it is served. */
export interface OpenOptions {
  /** The address: `postgres://…`, `neo4j://…`, or the path of a SQLite file. */
  url: string;
  /**
   * The dialect of the API, `postgraphile` by default; with `metadata` it is `hasura`. Dialects of type
   * definitions (dgraph, prisma with a datamodel) need the server or the Rust library.
   */
  dialect?: "postgraphile" | "phrag" | "neo4j" | "hasura" | "prisma";
  /** Hasura's metadata in one text (JSON or YAML); the dialect is then `hasura`. */
  metadata?: string;
  /** The text of a policy file (TOML). */
  policies?: string;
  /** Threads that execute operations, one for each processor by default. */
  threads?: number;
  /** Connections to the database, divided among the threads, at least one each; 20 by default. */
  connections?: number;
  /** How long an operation may take, in milliseconds; 30,000 by default. */
  timeout?: number;
  /** Whether the directive `@live` makes a query a live query. */
  live?: boolean;
  /** Whether a server delivers triggers and asynchronous actions of Hasura's metadata. */
  triggersDeliveredElsewhere?: boolean;
}

/** An operation, and who asks. */
export interface Call {
  query: string;
  variables?: Record<string, unknown> | null;
  operationName?: string | null;
  /** What the program knows about the caller; without it the caller is unauthenticated. */
  claims?: Record<string, unknown> | null;
}

/** An answer, as it is sent to a client. */
export interface Answer {
  /** The status of HTTP that fits it. */
  status: number;
  /** JSON: an object with `data` or `errors` or both. */
  body: Buffer;
}

/** The responses of a subscription, for `for await`; it begins with the first call of `next()`. */
export interface Responses {
  /** Waits for the next response, which is JSON; a request that is refused is an error. */
  next(): Promise<IteratorResult<Buffer, void>>;
  /** Ends the subscription at once; a call of `next()` that waits is done. */
  return(): Promise<IteratorReturnResult<void>>;
  [Symbol.asyncIterator](): Responses;
}

/** A GraphQL API over a database. */
export class Thalweg {
  private constructor();
  /** Reads the schema of the database and makes the API. */
  static open(options: OpenOptions): Promise<Thalweg>;
  /** Executes a query or a mutation; an abort of the signal cancels its statements. */
  execute(call: Call & { signal?: AbortSignal }): Promise<Answer>;
  /** A subscription or a live query; leaving the loop over it ends it. */
  subscribe(call: Call): Responses;
  /** The schema as SDL, perhaps as a role sees it; null without such a role. */
  schema(): string;
  schema(role: string): string | null;
  /** Reads the schema of the database again, after a migration. */
  reload(): Promise<void>;
  /**
   * Ends subscriptions, waits for operations in flight, for so many milliseconds (10,000 by default), and
   * closes the connections.
   */
  close(patience?: number): Promise<void>;
}
