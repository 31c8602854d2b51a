import { afterAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { type ClientHttp2Session, connect } from 'node:http2'
import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js'
import { AppendReq } from '@eventstore/db-client/generated/streams_pb.js'
import { frame } from './grpc.ts'
import { anEvent, append, aStream, gather, openTarget } from './target.ts'

const { client, url } = await openTarget()
const session: ClientHttp2Session = connect(new URL(url.replace('esdb:', 'http:')).origin)
afterAll(() => session.destroy())

function optionsFrame(stream: string): Buffer {
  const name = new StreamIdentifier()
  name.setStreamName(new Uint8Array(Buffer.from(stream)))
  const options = new AppendReq.Options()
  options.setStreamIdentifier(name)
  options.setNoStream(new Empty())
  const request = new AppendReq()
  request.setOptions(options)
  return frame(request.serializeBinary())
}

function proposedFrame(): Buffer {
  const id = new UUID()
  id.setString(randomUUID())
  const message = new AppendReq.ProposedMessage()
  message.setId(id)
  message.getMetadataMap().set('type', 'Fact').set('content-type', 'application/json')
  message.setData(new Uint8Array(Buffer.from('{}')))
  const request = new AppendReq()
  request.setProposedMessage(message)
  return frame(request.serializeBinary())
}

/** Resolves when the server has seen all that was sent. */
const seen = () =>
  new Promise<void>((resolve, reject) => {
    session.ping((error) => (error ? reject(error) : resolve()))
  })

/** Begins an append to a stream, sends so many of its events, the last one perhaps in part, and cancels it. */
async function cancelled(stream: string, events: number): Promise<void> {
  const request = session.request({
    ':method': 'POST',
    ':path': '/event_store.client.streams.Streams/Append',
    'content-type': 'application/grpc',
    te: 'trailers',
  })
  request.on('error', () => {})
  request.write(optionsFrame(stream))
  for (let i = 0; i < Math.floor(events); i++) request.write(proposedFrame())
  if (events % 1) request.write(proposedFrame().subarray(0, 20))
  await seen()
  request.close(CANCEL)
  await seen()
}

const CANCEL = 8

// The runtimes end a request before they cancel it (END_STREAM, then RST_STREAM), so a server may take what it has for
// the whole append: the real one does it most times, the fake always. What is repeated then is a wrong expected
// version. So an append of several events is better waited for no longer than cancelled while it is sent.
test('an append that is cancelled while it is sent may be written as far as it was sent', async () => {
  for (const events of [1, 2]) {
    let actual: unknown
    for (let tries = 0; actual === undefined && tries < 50; tries++) {
      const stream = aStream()
      await cancelled(stream, events)
      const outcome = await append(client, stream, 'no_stream', anEvent()).catch((error) => error)
      actual = outcome.actualVersion
    }
    expect(actual).toBe(BigInt(events - 1))
  }
})

test('an append that is cancelled in the middle of an event writes nothing', async () => {
  const stream = aStream()
  await cancelled(stream, 1.5)
  const event = anEvent()
  await append(client, stream, 'no_stream', event)
  expect((await gather(client.readStream(stream))).map((read) => read.event!.id)).toEqual([event.id])
})
