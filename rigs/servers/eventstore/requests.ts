/**
 * The requests of clients, read from protocol buffers into plain values.
 *
 * @module
 */
import type { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js'
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js'
import { CallError, STATUS } from './grpc.ts'
import type { Expected, Proposed } from './log.ts'
import { streams } from './messages.ts'
import { eachField } from './protobuf.ts'

export type AppendRequest = {
  readonly stream: string
  readonly expected: Expected
  readonly events: readonly Proposed[]
}

/** The real server's limit for one append, in bytes. */
export const MAX_APPEND_BYTES = 1_048_576

/**
 * An append: its options, then one message for each event.
 *
 * @throws {CallError} when an event is invalid, or the append is too large
 */
export function readAppend(messages: readonly Buffer[]): AppendRequest {
  const [first, ...rest] = messages
  const options = first && streams.AppendReq.deserializeBinary(first).getOptions()
  if (!options) throw new CallError(STATUS.invalidArgument, 'options')
  const events: Proposed[] = []
  for (const message of rest) {
    eachField(message, (field, bytes) => {
      if (field === 2) events.push(proposedOf(bytes))
    })
  }
  if (sizeOf(events) > MAX_APPEND_BYTES) {
    throw new CallError(STATUS.invalidArgument, `Maximum Append Size of ${MAX_APPEND_BYTES} Exceeded.`, {
      exception: 'maximum-append-size-exceeded',
      'maximum-append-size': String(MAX_APPEND_BYTES),
    })
  }
  return { stream: nameOf(options.getStreamIdentifier()), expected: expectedOf(options), events }
}

/** Servers up to 23.10 count only the data in a unary append; newer ones and batches count all, as this does. */
export const sizeOf = (events: readonly Proposed[]): number =>
  events.reduce((sum, e) => sum + e.data.length + e.metadata.length + e.type.length * 2, 0)

export type DeleteRequest = { readonly stream: string; readonly expected: Expected }

/** A delete or a tombstone; both have the same request. */
export function readDelete(message: Uint8Array | undefined): DeleteRequest {
  const options = streams.DeleteReq.deserializeBinary(message ?? new Uint8Array()).getOptions()
  if (!options) throw new CallError(STATUS.invalidArgument, 'options')
  return { stream: nameOf(options.getStreamIdentifier()), expected: expectedOf(options) }
}

function expectedOf(options: Streams.AppendReq.Options | Streams.DeleteReq.Options): Expected {
  if (options.hasRevision()) return Number(options.getRevision())
  if (options.hasNoStream()) return 'no-stream'
  if (options.hasStreamExists()) return 'stream-exists'
  if (options.hasAny()) return 'any'
  throw new CallError(STATUS.invalidArgument, 'expected_stream_revision')
}

/** The answer of the real server when a value breaks its code. */
const unexpected = () => new CallError(STATUS.unknown, 'Exception was thrown by handler.')
const NOTHING = Buffer.alloc(0)
const UUID_FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A ProposedMessage of either kind of append, read by field numbers. */
export function proposedOf(message: Buffer): Proposed {
  const described: Record<string, string> = {}
  let id = ''
  let metadata: Buffer = NOTHING
  let data: Buffer = NOTHING
  eachField(message, (field, bytes) => {
    if (field === 1) id = idOf(bytes)
    else if (field === 2) describe(bytes, described)
    else if (field === 3) metadata = bytes
    else if (field === 4) data = bytes
  })
  const { type, 'content-type': contentType } = described
  if (type === undefined || contentType === undefined) {
    const missing = type === undefined ? 'type' : 'content-type'
    throw new CallError(STATUS.invalidArgument, `Required Metadata Property '${missing}' is missing`, {
      exception: 'missing-required-metadata-property',
      'required-metadata-properties': 'type,content-type',
    })
  }
  if (type === '' || id === '') throw unexpected()
  return { id, type, contentType, data, metadata }
}

function describe(entry: Buffer, described: Record<string, string>): void {
  let [key, value] = ['', '']
  eachField(entry, (field, bytes) => {
    if (field === 1) key = bytes.toString('utf8')
    else if (field === 2) value = bytes.toString('utf8')
  })
  described[key] = value
}

/** An id has two forms; clients send the text. */
function idOf(id: Buffer): string {
  let text = ''
  eachField(id, (field, bytes) => {
    if (field === 2) text = bytes.toString('latin1')
  })
  if (!UUID_FORM.test(text)) throw unexpected()
  return text.toLowerCase()
}

function nameOf(identifier: StreamIdentifier | undefined): string {
  const name = Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8')
  if (name === '') throw unexpected()
  return name
}

export type Filter = {
  readonly on: 'stream' | 'type'
  readonly passes: (text: string) => boolean
  /** A checkpoint is sent each time this many events were scanned. */
  readonly checkpointEvery: number
}

export type ReadRequest = {
  /** null for all streams */
  readonly stream: string | null
  /** A revision of the stream, or a position in all streams. */
  readonly from: 'start' | 'end' | number
  readonly backwards: boolean
  /** null for a subscription */
  readonly count: number | null
  readonly filter: Filter | null
}

/** A read or a subscription; both are the same call. */
export function readRead(message: Uint8Array | undefined): ReadRequest {
  const options = streams.ReadReq.deserializeBinary(message ?? new Uint8Array()).getOptions()
  if (!options) throw new CallError(STATUS.invalidArgument, 'options')
  const filter = options.getFilter()
  return {
    ...startOf(options),
    backwards: options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS,
    count: options.hasSubscription() ? null : Number(options.getCount()),
    filter: filter ? filterOf(filter) : null,
  }
}

function startOf(options: Streams.ReadReq.Options): Pick<ReadRequest, 'stream' | 'from'> {
  const stream = options.getStream()
  if (stream) {
    const from = stream.hasRevision() ? Number(stream.getRevision()) : stream.hasEnd() ? 'end' : 'start'
    return { stream: nameOf(stream.getStreamIdentifier()), from }
  }
  const all = options.getAll()
  const position = all?.getPosition()
  const from = position ? Number(position.getCommitPosition()) : all?.hasEnd() ? 'end' : 'start'
  return { stream: null, from }
}

/** Events that the real server scans between two checks for a checkpoint, unless the client sets it. */
const SEARCH_WINDOW = 32

function filterOf(filter: Streams.ReadReq.Options.FilterOptions): Filter {
  const multiplier = filter.getCheckpointintervalmultiplier()
  if (multiplier === 0) throw new CallError(STATUS.invalidArgument, 'checkpointIntervalMultiplier')
  const expression = filter.getStreamIdentifier() ?? filter.getEventType()
  const prefixes = expression?.getPrefixList() ?? []
  const regex = new RegExp(expression?.getRegex() ?? '')
  return {
    on: filter.hasEventType() ? 'type' : 'stream',
    passes:
      prefixes.length > 0 ? (text) => prefixes.some((p) => text.startsWith(p)) : (text) => regex.test(text),
    checkpointEvery: multiplier * (filter.hasMax() ? filter.getMax() : SEARCH_WINDOW),
  }
}
