import { afterAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js'
import { type AppendCall, connect } from '../../../src/log/eventstore/connection.ts'
import { shared, streams } from './messages.ts'
import { aStream, clientOf, gather, openTarget } from './target.ts'

// The answers of BatchAppend, tested with its own messages.
const { client, url } = await openTarget()
const connection = connect(url)
afterAll(() => connection.close())

type Expectation = 'no-stream' | 'any' | 'stream-exists' | number

function uuid(text: string) {
  const id = new shared.UUID()
  id.setString(text)
  return id
}

function options(stream: string, expected: Expectation) {
  const batchOptions = new streams.BatchAppendReq.Options()
  const identifier = new shared.StreamIdentifier()
  identifier.setStreamName(new Uint8Array(Buffer.from(stream)))
  batchOptions.setStreamIdentifier(identifier)
  if (expected === 'no-stream') batchOptions.setNoStream(new shared.Empty())
  else if (expected === 'any') batchOptions.setAny(new shared.Empty())
  else if (expected === 'stream-exists') batchOptions.setStreamExists(new shared.Empty())
  else batchOptions.setStreamPosition(String(expected))
  return batchOptions
}

function proposed(id: string, text: string) {
  const message = new streams.BatchAppendReq.ProposedMessage()
  message.setId(uuid(id))
  message.getMetadataMap().set('type', 'Fact').set('content-type', 'application/json')
  message.setData(new Uint8Array(Buffer.from(JSON.stringify({ text }))))
  return message
}

type Sent = {
  readonly correlation?: string
  readonly stream?: string
  readonly expected?: Expectation
  readonly ids?: readonly string[]
  readonly text?: string
  readonly final?: boolean
}

/** A BatchAppend call and its answers. */
class Talk {
  readonly answers = new Map<string, BatchAppendResp>()
  over: { readonly code?: number; readonly message: string } | undefined
  #look = () => {}

  private constructor(readonly call: AppendCall) {
    call.on('data', (answer: BatchAppendResp) => {
      this.answers.set(answer.getCorrelationId()!.getString(), answer)
      this.#look()
    })
    call.on('error', (error) => {
      this.over = error
      this.#look()
    })
  }

  static async open(): Promise<Talk> {
    return new Talk(await connection.openAppends())
  }

  /** @returns the append's correlation id */
  send({
    correlation = randomUUID(),
    stream,
    expected,
    ids = [randomUUID()],
    text = '',
    final = true,
  }: Sent) {
    const request = new streams.BatchAppendReq()
    request.setCorrelationId(uuid(correlation))
    if (stream !== undefined) request.setOptions(options(stream, expected ?? 'no-stream'))
    request.setProposedMessagesList(ids.map((id) => proposed(id, text)))
    request.setIsFinal(final)
    this.call.write(request)
    return correlation
  }

  until(enough: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#look = () => {
        if (enough()) resolve()
      }
      this.#look()
    })
  }

  /** The answer to an append, in short form. */
  async answer(sent: Sent): Promise<unknown> {
    const correlation = this.send(sent)
    await this.until(() => this.answers.has(correlation) || this.over !== undefined)
    return short(this.answers.get(correlation))
  }
}

function short(answer: BatchAppendResp | undefined): unknown {
  const error = answer?.getError()
  if (!error) {
    const success = answer?.getSuccess()
    return success?.hasCurrentRevision() ? Number(success.getCurrentRevision()) : 'none'
  }
  const name = error.getDetails()!.getTypeName()
  if (!name.endsWith('WrongExpectedVersion')) return name
  const wrong = error.getDetails()!.unpack(shared.WrongExpectedVersion.deserializeBinary, name)!
  return { actual: wrong.hasCurrentNoStream() ? null : Number(wrong.getCurrentStreamRevision()) }
}

const uuids = (count: number) => Array.from({ length: count }, () => randomUUID())
const textsOf = async (stream: string) =>
  (await gather(client.readStream<{ type: 'Fact'; data: { text: string } }>(stream))).map(
    ({ event }) => event!.data.text,
  )

describe('a batch append', () => {
  test('returns the last revision, or the actual one when another was expected', async () => {
    const talk = await Talk.open()
    const stream = aStream()
    expect(await talk.answer({ stream, expected: 0 })).toEqual({ actual: null })
    expect(await talk.answer({ stream, ids: uuids(3) })).toBe(2)
    expect(await talk.answer({ stream })).toEqual({ actual: 2 })
    expect(await talk.answer({ stream, expected: 2 })).toBe(3)
    expect(await talk.answer({ stream, expected: 'any' })).toBe(4)
    expect(await talk.answer({ stream, expected: 'stream-exists' })).toBe(5)
  })

  test('succeeds again with the first revision when it is repeated, also over another call', async () => {
    const talk = await Talk.open()
    const stream = aStream()
    const ids = uuids(2)
    expect(await talk.answer({ stream, ids })).toBe(1)
    expect(await talk.answer({ stream, expected: 1 })).toBe(2)
    expect(await talk.answer({ stream, ids })).toBe(1)
    expect(await (await Talk.open()).answer({ stream, ids })).toBe(1)
    expect(await textsOf(stream)).toHaveLength(3)
  })

  test('that fails leaves the call open: too large, a bad id, an empty or a deleted stream name', async () => {
    const talk = await Talk.open()
    const stream = aStream()
    const bad = 'event_store.client.BadRequest'
    expect(await talk.answer({ stream, text: 'x'.repeat(1_100_000) })).toBe(
      'event_store.client.MaximumAppendSizeExceeded',
    )
    expect(await talk.answer({ stream, ids: ['no-uuid'] })).toBe(bad)
    expect(await talk.answer({ stream: '' })).toBe(bad)
    await client.tombstoneStream(stream)
    expect(await talk.answer({ stream })).toBe('event_store.client.StreamDeleted')
    expect(await talk.answer({ stream: aStream(), text: 'x'.repeat(1_000_000) })).toBe(0)
    expect(talk.over).toBeUndefined()
  })

  test('may be sent in parts between other appends, and is written with its last part', async () => {
    const talk = await Talk.open()
    const [stream, other] = [aStream(), aStream()]
    const correlation = talk.send({ stream, text: 'a', final: false })
    expect(await talk.answer({ stream: other })).toBe(0)
    talk.send({ correlation, text: 'b', final: false })
    expect(await talk.answer({ correlation, text: 'c' })).toBe(2)
    expect(await textsOf(stream)).toEqual(['a', 'b', 'c'])
  })

  test('is written in the order of sending', async () => {
    const talk = await Talk.open()
    const stream = aStream()
    const requests = Array.from({ length: 300 }, (_, n) =>
      talk.send({ stream, expected: n === 0 ? 'no-stream' : n - 1, text: String(n) }),
    )
    await talk.until(() => requests.every((id) => talk.answers.has(id)))
    expect(requests.map((id) => short(talk.answers.get(id)))).toEqual(requests.map((_, n) => n))
    expect(await textsOf(stream)).toEqual(requests.map((_, n) => String(n)))
  })

  test('of more than 16 MiB ends its call, but no other call', async () => {
    const [talk, other] = [await Talk.open(), await Talk.open()]
    await talk.answer({ stream: aStream(), text: 'x'.repeat(20 * 1024 * 1024) })
    expect(talk.over).toMatchObject({ code: 8 })
    expect(await other.answer({ stream: aStream() })).toBe(0)
  })

  test("is used by the client's own append without credentials", async () => {
    const own = clientOf(url)
    const stream = aStream()
    const event = {
      id: randomUUID(),
      type: 'Fact',
      contentType: 'application/json',
      data: {},
      metadata: {},
    } as const
    expect(await own.appendToStream(stream, event, { expectedRevision: 'no_stream' })).toMatchObject({
      success: true,
      nextExpectedRevision: 0n,
    })
    const wrong = own.appendToStream(stream, { ...event, id: randomUUID() }, { expectedRevision: 3n })
    expect(await wrong.catch((error) => error)).toMatchObject({
      type: 'wrong-expected-version',
      actualVersion: 0n,
    })
  })
})
