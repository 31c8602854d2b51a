/**
 * The protocol buffers of the client package. They are CommonJS, whose names Deno cannot import.
 *
 * @module
 */
import { createRequire } from 'node:module'

const FOLDER = '@eventstore/db-client/generated'
const load = createRequire(import.meta.url)

export const gossipMessages: typeof import('@eventstore/db-client/generated/gossip_pb.js') = load(
  `${FOLDER}/gossip_pb.js`,
)
export const featureMessages: typeof import('@eventstore/db-client/generated/serverfeatures_pb.js') = load(
  `${FOLDER}/serverfeatures_pb.js`,
)
export const shared: typeof import('@eventstore/db-client/generated/shared_pb.js') = load(
  `${FOLDER}/shared_pb.js`,
)
export const streams: typeof import('@eventstore/db-client/generated/streams_pb.js') = load(
  `${FOLDER}/streams_pb.js`,
)
export const status: typeof import('@eventstore/db-client/generated/status_pb.js') = load(
  `${FOLDER}/status_pb.js`,
)
export const { Any }: typeof import('google-protobuf/google/protobuf/any_pb.js') = load(
  'google-protobuf/google/protobuf/any_pb.js',
)
