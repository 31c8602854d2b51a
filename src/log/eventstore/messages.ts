/**
 * The messages of EventStoreDB's protocol that the client package ships. They are CommonJS, and their exports are not
 * visible to an `import` on Deno.
 *
 * @module
 */
import { createRequire } from 'node:module'

const load = createRequire(import.meta.url)

export const shared: typeof import('@eventstore/db-client/generated/shared_pb.js') = load(
  '@eventstore/db-client/generated/shared_pb.js',
)
export const streams: typeof import('@eventstore/db-client/generated/streams_pb.js') = load(
  '@eventstore/db-client/generated/streams_pb.js',
)
export const { StreamsClient }: typeof import('@eventstore/db-client/generated/streams_grpc_pb.js') = load(
  '@eventstore/db-client/generated/streams_grpc_pb.js',
)
