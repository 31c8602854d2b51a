/**
 * The answers of the server, as framed protocol buffers.
 *
 * @module
 */
import type { StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js'
import { frame, frameBuilt } from './grpc.ts'
import type { Expected, Proposed } from './log.ts'
import { shared, streams } from './messages.ts'
import { ProtobufWriter } from './protobuf.ts'

const { ReadResp, AppendResp } = streams
const { Empty } = shared

function identifier(stream: string): StreamIdentifier {
  const name = new shared.StreamIdentifier()
  name.setStreamName(new Uint8Array(Buffer.from(stream)))
  return name
}

export type Placed = Proposed & {
  readonly stream: string
  /** A tombstone's revision is too large for a number. */
  readonly revision: number | bigint
  readonly position: number
  /** Milliseconds since 1970. */
  readonly at: number
}

const writer = new ProtobufWriter()

/** An event as reads and subscriptions send it: a ReadResp, built by field numbers. */
export function eventFrame(placed: Placed): Buffer {
  const described = (key: string, value: string) =>
    writer.message(6, () => {
      writer.text(1, key)
      writer.text(2, value)
    })
  const record = () => {
    writer.message(1, () => writer.text(2, placed.id))
    writer.message(2, () => writer.text(3, placed.stream))
    writer.number(3, placed.revision)
    writer.number(4, placed.position)
    writer.number(5, placed.position)
    described('type', placed.type)
    // In ticks of 100 nanoseconds.
    described('created', `${placed.at}0000`)
    described('content-type', placed.contentType)
    writer.bytes(7, placed.metadata)
    writer.bytes(8, placed.data)
  }
  const event = () => {
    writer.message(1, record)
    writer.number(3, placed.position)
  }
  return frameBuilt(writer, () => writer.message(1, event))
}

/** An event read back from its frame's message. */
export function placedOf(message: Uint8Array): Placed {
  const record = ReadResp.deserializeBinary(message).getEvent()?.getEvent()
  if (!record) throw new Error('the file holds a message that is no event')
  const described = record.getMetadataMap()
  return {
    id: record.getId()?.getString() ?? '',
    stream: Buffer.from(record.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString('utf8'),
    revision: revisionOf(record.getStreamRevision()),
    position: Number(record.getCommitPosition()),
    at: Number(described.get('created')?.slice(0, -4)),
    type: described.get('type') ?? '',
    contentType: described.get('content-type') ?? '',
    data: record.getData_asU8(),
    metadata: record.getCustomMetadata_asU8(),
  }
}

const revisionOf = (text: string) => (Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text))

export function confirmation(subscription: string): Buffer {
  const confirmed = new ReadResp.SubscriptionConfirmation()
  confirmed.setSubscriptionId(subscription)
  const answer = new ReadResp()
  answer.setConfirmation(confirmed)
  return frame(answer.serializeBinary())
}

export function checkpoint(position: number): Buffer {
  const reached = new ReadResp.Checkpoint()
  reached.setCommitPosition(String(position))
  reached.setPreparePosition(String(position))
  const answer = new ReadResp()
  answer.setCheckpoint(reached)
  return frame(answer.serializeBinary())
}

export function caughtUp(): Buffer {
  const answer = new ReadResp()
  answer.setCaughtUp(new ReadResp.CaughtUp())
  return frame(answer.serializeBinary())
}

export function streamNotFound(stream: string): Buffer {
  const missing = new ReadResp.StreamNotFound()
  missing.setStreamIdentifier(identifier(stream))
  const answer = new ReadResp()
  answer.setStreamNotFound(missing)
  return frame(answer.serializeBinary())
}

/**
 * @param revision of the last event; null when the append had none and the stream has none
 * @param position of the last event; null when the server does not return it
 */
export function appended(revision: number | null, position: number | null): Buffer {
  const success = new AppendResp.Success()
  if (revision === null) success.setNoStream(new Empty())
  else success.setCurrentRevision(String(revision))
  if (position === null) {
    success.setNoPosition(new Empty())
  } else {
    const at = new AppendResp.Position()
    at.setCommitPosition(String(position))
    at.setPreparePosition(String(position))
    success.setPosition(at)
  }
  const answer = new AppendResp()
  answer.setSuccess(success)
  return frame(answer.serializeBinary())
}

/** @param actual the stream's last revision; null without any event */
export function wrongExpectedVersion(expected: Expected, actual: number | null): Buffer {
  const wrong = new AppendResp.WrongExpectedVersion()
  if (expected === 'any') wrong.setExpectedAny(new Empty())
  else if (expected === 'stream-exists') wrong.setExpectedStreamExists(new Empty())
  else if (expected === 'no-stream') wrong.setExpectedNoStream(new Empty())
  else wrong.setExpectedRevision(String(expected))
  if (actual === null) wrong.setCurrentNoStream(new Empty())
  else wrong.setCurrentRevision(String(actual))
  const answer = new AppendResp()
  answer.setWrongExpectedVersion(wrong)
  return frame(answer.serializeBinary())
}

/** The answer of a delete and of a tombstone. */
export function deleted(position: number | null): Buffer {
  const at = new streams.DeleteResp.Position()
  at.setCommitPosition(String(position))
  at.setPreparePosition(String(position))
  const answer = new streams.DeleteResp()
  answer.setPosition(at)
  return frame(answer.serializeBinary())
}
